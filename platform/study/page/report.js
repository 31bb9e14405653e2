(() => {
const runs = data.runs;
const state = { run: 0, kernel: 0, sort: 'number', down: false, filter: '', view: 'code', shown: 300, compared: 10 };

const SLOTS = [['issued', 'instruction issued', '--issued'], ['scoreboard', 'waiting for registers', '--scoreboard'],
  ['pipeline', 'pipeline busy', '--pipeline'], ['nothing', 'no decoded instruction', '--nothing'], ['unused', 'no thread block', '--unused']];

// ---- header ----------------------------------------------------------------------------------
const run = () => runs[state.run];
function header() {
  const theme = themeButton(all);
  const pick = runs.length < 2 ? null : h('div', { role: 'group', 'aria-label': 'Run' }, runs.map((r, i) =>
    [h('button', { 'aria-pressed': String(i === state.run), onclick: () => { state.run = i; state.kernel = Math.min(state.kernel, r.kernels.length - 1); all(); } }, r.name), ' ']));
  const gpu = run().gpu || {};
  const line = [run().presets, gpu.sms ? `${gpu.sms} SMs at ${int((run().core_hz || 0) / 1e6)} MHz` : null,
    gpu.memory_channels ? `${count(gpu.memory_channels, 'memory channel')}, ${gbs(gpu.peaks.dram_bytes_per_second)} peak` : null,
    gpu.core ? gpu.core + ' core' : null].filter(Boolean).join('  ·  ');
  $('top').replaceChildren(h('div', { class: 'bar-top' },
    h('h1', {}, runs.length > 1 ? runs.map(r => r.name).join(' · ') : run().name), h('span', { class: 'soft' }, line), h('span', { class: 'grow' }), pick, theme));
  document.title = runs.map(r => r.name).join(', ') + ' – simtlm report';
}
function overview() {
  const r = run(), ks = r.kernels;
  const sum = f => ks.reduce((a, k) => a + (f(k) || 0), 0);
  const launch = sum(k => k.launch), busy = sum(k => k.cycles), seconds = sum(k => k.seconds);
  const bytes = sum(k => k.bandwidth.DRAM.rate * k.seconds), peak = ks.length ? ks[0].bandwidth.DRAM.peak : 0;
  const card = (value, label) => h('div', { class: 'card' }, h('b', {}, value), h('span', {}, label));
  const facts = [['Command', h('span', { class: 'mono' }, r.command)], ['File', r.file], ['Started', r.started],
    ['Simulator', `simtlm ${r.version}, commit ${r.commit}`], ['Status', r.ended]];
  if (r.resumed) facts.push(['Begin', r.resumed]);
  return h('section', { class: 'panel', 'aria-label': 'Run', style: 'padding:6px 20px 14px 0' },
    h('div', { class: 'cards' },
      card(r.mean_hz ? time(r.cycles / r.mean_hz) : int(r.cycles), 'simulated GPU time'),
      card(int(r.cycles), 'core cycles'), card(int(ks.length), ks.length === 1 ? 'kernel' : 'kernels'),
      card(pct(launch / Math.max(1, launch + busy)), 'of kernel time is launch latency'),
      card(dec(sum(k => k.instructions) / Math.max(1, busy), 0), 'thread instructions per cycle'),
      card(pct(peak && seconds ? bytes / seconds / peak : null), 'of peak DRAM bandwidth while kernels run')),
    h('div', { style: 'padding:0 20px' }, (r.findings || []).map(f => h('p', {}, h('b', {}, f.headline + '. '), f.detail + ' ', h('span', { class: 'soft' }, f.remedy))), r.resumed ? h('p', {}, 'The run is ' + r.resumed + '; statistics begin there.') : null, r.ended !== 'finished' ? h('p', {}, h('b', {}, 'The run did not finish: ' + r.ended + '.')) : null,
      h('details', {}, h('summary', {}, 'Details of the run'), h('dl', {}, facts.map(([k, v]) => [h('dt', {}, k), h('dd', {}, v)])))));
}

// ---- kernels: a grid whose rows exist only while they are in view -------------------------------
const COLUMNS = [['number', '#', k => k.number, true, 'Number in the list of kernels, or number of the launch'], ['name', 'kernel', k => k.name],
  ['seconds', 'time', k => k.seconds || k.cycles, true, 'From the first to the last thread block, without launch latency'],
  ['share', 'share of time', k => k.cycles, false, 'Share of the cycles of all kernels'], ['ipc', 'IPC', k => k.ipc, true, 'Thread instructions per core cycle'],
  ['peak', '% of peak', k => k.ipc_share, true, 'IPC relative to the greatest possible IPC of the GPU'], ['occupancy', 'occupancy', k => k.occupancy, true, 'Mean resident warps of active SMs, relative to the warp slots'],
  ['dram', 'DRAM', k => share(k.bandwidth.DRAM), true, 'DRAM bandwidth relative to its peak'], ['bound', 'limited by', k => k.bound, false, 'Main limiter']];
const share = b => b.peak ? b.rate / b.peak : 0;
const peakIpc = () => { const g = run().gpu; return g && g.peaks ? g.peaks.thread_instructions_per_cycle : 0; };
let order = [];
function kernelOrder() {
  const ks = run().kernels, of = COLUMNS.find(c => c[0] === state.sort)[2], f = state.filter.toLowerCase();
  order = ks.map((k, i) => i).filter(i => !f || ks[i].name.toLowerCase().includes(f) || ks[i].bound.includes(f));
  order.sort((a, b) => { const x = of(ks[a]), y = of(ks[b]); return (x < y ? -1 : x > y ? 1 : a - b) * (state.down ? -1 : 1); });
}
function kernels() {
  const ROW = 30, ks = run().kernels, total = Math.max(1, ks.reduce((a, k) => a + k.cycles, 0));
  const most = Math.max(1, ...ks.map(k => k.cycles));
  const inner = h('div', { role: 'presentation' });
  const view = h('div', { class: 'view', role: 'rowgroup' }, inner);
  const status = h('span', { class: 'soft', role: 'status' });
  const head = h('div', { class: 'row hd', role: 'row', 'aria-rowindex': 1 }, COLUMNS.map(c => h('span', { role: 'columnheader', class: c[3] ? 'num' : '', title: c[4], 'data-c': c[0] },
    h('button', { onclick: () => { if (state.sort === c[0]) state.down = !state.down; else { state.sort = c[0]; state.down = !['number', 'name', 'bound'].includes(c[0]); } fill(); } }, c[1]))));
  function cells(k) {
    return [h('span', { class: 'num faint' }, k.number), h('span', { title: k.name }, brief(k.name), k.unfinished ? h('span', { class: 'tag' }, 'unfinished') : null),
      h('span', { class: 'num', title: int(k.cycles) + ' core cycles' }, k.seconds ? time(k.seconds) : int(k.cycles)), h('span', {}, meter(k.cycles / most, 60), ' ', h('span', { class: 'soft' }, pct(k.cycles / total))),
      h('span', { class: 'num' }, dec(k.ipc, k.ipc < 100 ? 1 : 0)), h('span', { class: 'num' }, pct(k.ipc_share)), h('span', { class: 'num' }, pct(k.occupancy)),
      h('span', { class: 'num' }, pct(share(k.bandwidth.DRAM))), h('span', {}, k.bound)];
  }
  function draw() {
    const from = Math.max(0, Math.floor(view.scrollTop / ROW) - 6), to = Math.min(order.length, from + Math.ceil((view.clientHeight || 330) / ROW) + 14);
    const rows = [];
    for (let i = from; i < to; ++i) {
      const k = ks[order[i]], on = order[i] === state.kernel;
      rows.push(h('div', { class: 'row', role: 'row', id: 'k' + order[i], 'aria-rowindex': i + 2, 'aria-selected': String(on), style: `top:${i * ROW}px`,
        onclick: () => choose(i) }, cells(k).map(c => { c.setAttribute('role', 'gridcell'); return c; })));
    }
    inner.replaceChildren(...rows);
    if ($('k' + state.kernel) || rows.some(row => row.id === 'k' + state.kernel)) grid.setAttribute('aria-activedescendant', 'k' + state.kernel);
    else grid.removeAttribute('aria-activedescendant');
  }
  const grid = h('div', { class: 'grid', id: 'kernels', tabindex: '0', role: 'grid', 'aria-label': 'Kernels; the arrow keys select one', 'aria-colcount': COLUMNS.length },
    h('div', { role: 'rowgroup' }, head), view);
  function reveal(i) {
    if (i * ROW < view.scrollTop) view.scrollTop = i * ROW;
    if ((i + 1) * ROW > view.scrollTop + view.clientHeight) view.scrollTop = (i + 1) * ROW - view.clientHeight;
  }
  function fill() {
    kernelOrder();
    inner.style.height = order.length * ROW + 'px'; inner.style.position = 'relative';
    view.style.height = Math.min(order.length, 10) * ROW + 2 + 'px';
    grid.setAttribute('aria-rowcount', order.length + 1);
    status.textContent = order.length === ks.length ? count(ks.length, 'kernel') : `${int(order.length)} of ${int(ks.length)} kernels`;
    for (const c of head.children) { const on = c.dataset.c === state.sort; if (on) c.setAttribute('aria-sort', state.down ? 'descending' : 'ascending'); else c.removeAttribute('aria-sort');
      c.firstChild.textContent = COLUMNS.find(x => x[0] === c.dataset.c)[1] + (on ? (state.down ? ' ↓' : ' ↑') : ''); }
    draw();
  }
  function choose(i) {
    if (i < 0 || i >= order.length) return;
    state.kernel = order[i]; state.shown = 300;
    reveal(i); draw(); detail();
    const k = ks[state.kernel]; $('said').textContent = `Kernel ${k.number}, ${brief(k.name)}: ${int(k.cycles)} cycles, limited by ${k.bound}`;
  }
  view.addEventListener('scroll', () => requestAnimationFrame(draw));
  grid.addEventListener('keydown', e => {
    if (e.target !== grid) return;
    const at = order.indexOf(state.kernel);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: order.length - 1, PageDown: Math.min(order.length - 1, at + 10), PageUp: Math.max(0, at - 10) }[e.key];
    if (to === undefined) return;
    e.preventDefault(); choose(to);
  });
  const search = h('input', { type: 'search', placeholder: 'Filter by name or limiter', 'aria-label': 'Filter kernels', value: state.filter,
    oninput: e => { state.filter = e.target.value; view.scrollTop = 0; fill(); } });
  const section = h('section', { class: 'panel', 'aria-label': 'Kernels' },
    h('div', { class: 'head' }, h('h2', {}, 'Kernels'), status, h('span', { class: 'grow' }), search), grid);
  fill();
  requestAnimationFrame(() => { reveal(order.indexOf(state.kernel)); draw(); });
  return section;
}

// ---- one kernel ------------------------------------------------------------------------------
function stack(shares, names, label) {
  return [h('div', { class: 'stack', role: 'img', 'aria-label': label + ': ' + names.map((n, i) => `${n[1]} ${pct(shares[i])}`).join(', ') },
    names.map((n, i) => tip(h('i', { style: `flex:${Math.max(0, shares[i])} 0 0;background:var(${n[2]})` }), `${n[1]}: ${pct(shares[i])}`))),
    h('div', { class: 'legend', 'aria-hidden': 'true' }, names.map((n, i) => shares[i] >= .001 ? h('span', {}, h('i', { style: `background:var(${n[2]})` }), `${n[1]} ${pct(shares[i])}`) : null))];
}
function rates(k) {
  const rows = [['Issue rate', k.ipc_share, `${k.ipc < 100 ? dec(k.ipc) : int(k.ipc)}${peakIpc() ? ' of ' + int(peakIpc()) : ''} instr/cycle`]].concat(['DRAM', 'L2', 'L1', 'shared'].filter(n => k.bandwidth[n].peak).map(n => {
    const b = k.bandwidth[n]; return [n === 'shared' ? 'Shared memory' : n === 'L1' ? 'L1 data' : n, b.rate / b.peak, n !== 'shared' ? `${gbs(b.rate)} of ${gbs(b.peak)}` : k.conflicts > .005 ? `of all SM cycles; ${pct(k.conflicts)} conflicts` : 'of all SM cycles']; }));
  return h('div', { class: 'rates' }, rows.map(([n, f, t]) => [h('span', {}, n), h('span', { class: 'meter', style: 'width:100%', role: 'img', 'aria-label': `${n}: ${pct(f)}` },
    h('i', { style: `width:${Math.min(100, 100 * f)}%;background:var(${f > .6 ? '--c2' : '--accent'})` })), h('span', { class: 'soft' }, h('b', { style: 'color:var(--ink);font-weight:600' }, pct(f)), '  ', t)]));
}
function roofline(k) {
  const W = 470, H = 274, L = 46, R = 14, T = 24, B = 34, hz = run().core_hz, gpu = run().gpu;
  if (!gpu || !gpu.peaks || !hz || !k.seconds) return null;
  const top = gpu.peaks.thread_instructions_per_cycle * hz;
  const levels = [['DRAM', '--c2'], ['L2', '--c4'], ['L1', '--c3']].filter(l => k.bandwidth[l[0]].peak);
  const dots = [];
  for (const [n, c] of levels) { const b = k.bandwidth[n].rate * k.seconds; if (b > 0) dots.push({ n, c, x: k.instructions / b, y: k.instructions / k.seconds }); }
  const others = run().kernels.length > 2000 ? [] : run().kernels.filter(o => o !== k && o.seconds && o.bandwidth.DRAM.rate > 0).map(o => ({ x: o.instructions / (o.bandwidth.DRAM.rate * o.seconds), y: o.instructions / o.seconds, k: o }));
  const ridge = top / k.bandwidth.DRAM.peak;
  const xs = dots.concat(others).map(d => d.x).concat([ridge, top / k.bandwidth.L1.peak]), ys = dots.concat(others).map(d => d.y);
  const x0 = Math.pow(10, Math.floor(Math.log10(Math.min(...xs, .1)))), x1 = Math.pow(10, Math.ceil(Math.log10(Math.max(...xs, 100)) + .05));
  const y1 = Math.pow(10, Math.ceil(Math.log10(top * 1.05))), y0 = Math.min(y1 / 1e4, Math.pow(10, Math.floor(Math.log10(Math.min(...ys, top)))));
  const X = v => L + (W - L - R) * Math.log(v / x0) / Math.log(x1 / x0), Y = v => T + (H - T - B) * Math.log(y1 / v) / Math.log(y1 / y0);
  const g = s('svg', { viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img', 'aria-label': `Roofline: ${si(k.instructions / k.seconds)} of at most ${si(top)} thread instructions per second; ` +
    dots.map(d => `${si(d.x)} instructions per byte of ${d.n}`).join(', ') });
  for (let v = x0; v <= x1 * 1.01; v *= 10) g.append(s('line', { class: 'gridline', x1: X(v), x2: X(v), y1: T, y2: H - B }), s('text', { x: X(v), y: H - B + 15, 'text-anchor': 'middle' }, v < 1 ? +v.toPrecision(1) : si(v).replace(/\.00?/, '')));
  for (let v = y0; v <= y1 * 1.01; v *= 10) g.append(s('line', { class: 'gridline', x1: L, x2: W - R, y1: Y(v), y2: Y(v) }), s('text', { x: L - 6, y: Y(v) + 4, 'text-anchor': 'end' }, si(v).replace(/\.00?/, '')));
  g.append(s('text', { x: (L + W - R) / 2, y: H - 3, 'text-anchor': 'middle' }, 'arithmetic intensity (thread instructions per byte)'));
  g.append(s('text', { x: L, y: T - 8, 'text-anchor': 'start' }, 'thread instructions per second'));
  const clip = 'r' + Math.random().toString(36).slice(2);
  g.append(s('clipPath', { id: clip }, s('rect', { x: L, y: T, width: W - L - R, height: H - T - B })));
  const roofs = s('g', { 'clip-path': `url(#${clip})` }); g.append(roofs);
  for (const [n, c] of levels) {
    const bw = k.bandwidth[n].peak, xr = top / bw;
    const under = n === 'DRAM' || (n === 'L2' && k.bandwidth.L1.peak > bw);
    roofs.append(s('line', { x1: X(x0), y1: Y(x0 * bw), x2: X(xr), y2: Y(top), stroke: `var(${c})`, 'stroke-width': 1.5 }));
    // Names stand where their roofs lie apart: L1 above its own, the others below.
    const xl = Math.max(x0, y0 / bw) * (n === 'L2' ? (xr / Math.max(x0, y0 / bw)) ** .45 : 1.3);
    g.append(s('text', { x: X(xl) + 4, y: Y(xl * bw) + (under ? 14 : -7), style: `fill:var(${c})`, transform: `rotate(${-Math.atan2(Y(xl * bw) - Y(xl * bw * 10), X(xl * 10) - X(xl)) * 180 / Math.PI} ${X(xl)} ${Y(xl * bw)})` }, `${n} ${gbs(bw)}`));
  }
  roofs.append(s('line', { x1: X(top / k.bandwidth.L1.peak), y1: Y(top), x2: X(x1), y2: Y(top), stroke: 'var(--ink)', 'stroke-width': 1.5 }));
  g.append(s('text', { x: W - R, y: Y(top) - 6, 'text-anchor': 'end', class: 'strong' }, `issue limit ${si(top)}/s`));
  for (const o of others) g.append(tip(s('circle', { cx: X(o.x), cy: Y(o.y), r: 3, fill: 'var(--faint)', opacity: .45 }), `${o.k.number} ${brief(o.k.name)}`));
  for (const d of dots) g.append(tip(s('circle', { cx: X(d.x), cy: Y(d.y), r: 5.5, fill: `var(${d.c})`, stroke: 'var(--panel)', 'stroke-width': 1.5 }), `${d.n}: ${si(d.x)} instructions per byte, ${si(d.y)} instructions/s`));
  return h('div', {}, g, h('div', { class: 'legend' }, levels.map(([n, c]) => h('span', {}, h('i', { style: `background:var(${c});border-radius:9px` }), `this kernel, ${n} bytes`)), others.length ? h('span', {}, h('i', { style: 'background:var(--faint);opacity:.5;border-radius:9px' }), 'other kernels, DRAM bytes') : null));
}
function hops(k) {
  const [req, rest, queue, rep, trip] = k.hops;
  if (!trip) return h('p', { class: 'soft' }, 'This kernel received no replies from memory.');
  const inL2 = Math.max(0, rest);
  return [stack([req / trip, inL2 / trip, rep / trip], [['a', `SM to L2, ${dec(req, 0)} cycles:`, '--c1'], ['b', `L2 and DRAM, ${dec(inL2, 0)} cycles:`, '--c2'], ['c', `L2 to SM, ${dec(rep, 0)} cycles:`, '--c3']], 'Latency by hop'),
    h('p', { class: 'soft', style: 'margin-top:6px;font-size:13px' }, `Mean round trip of a memory request: ${dec(trip, 0)} core cycles.` + (queue ? ` Requests to DRAM waited ${dec(queue, 0)} core cycles in the queue of the channel.` : ''))];
}
// Memory chart: what moves between SMs, caches and DRAM. An arrow is as wide as the share of the peak rate that it uses.
function memoryChart(k) {
  if (!k.seconds || !k.bandwidth.L2.peak) return null;
  const W = 520, H = 150, box = { SM: [4, 50, 60], shared: [136, 14, 120], L1: [136, 88, 120], L2: [312, 88, 66], DRAM: [434, 88, 82] };
  const link = (n, from, to, y) => { const b = k.bandwidth[n], share = b.peak ? b.rate / b.peak : 0; return { n, from, to, y, share, bytes: b.rate * k.seconds, rate: b.rate, used: b.rate > 0 }; };
  const links = [link('shared', 'SM', 'shared', 34), link('L1', 'SM', 'L1', 108), link('L2', 'L1', 'L2', 108), link('DRAM', 'L2', 'DRAM', 108)];
  const text = l => l.n === 'shared' ? `Shared memory: busy in ${pct(l.share)} of all SM cycles` : `${l.n === 'L1' ? 'SM to L1' : l.n === 'L2' ? 'L1 to L2' : 'L2 to DRAM'}: ${si(l.bytes)}B, ${gbs(l.rate)}, ${pct(l.share)} of the peak`;
  const names = { SM: ['SMs', ''], shared: ['Shared memory', ''], L1: ['L1 data', `${pct(k.hits.L1)} hits`], L2: ['L2', `${pct(k.hits.L2)} hits`], DRAM: ['DRAM', `${pct(k.hits.row)} row hits`] };
  const g = s('svg', { viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img', 'aria-label': 'Memory chart. ' + links.map(text).join('. ') });
  for (const l of links) {
    const x0 = box[l.from][0] + box[l.from][2], x1 = box[l.to][0], width = 1.5 + 16 * Math.min(1, l.share);
    g.append(tip(s('line', { x1: x0, x2: x1, y1: l.y, y2: l.y, stroke: l.share > .6 ? 'var(--c2)' : l.used ? 'var(--accent)' : 'var(--faint)', 'stroke-width': width, 'stroke-dasharray': l.used ? null : '2 3' }), text(l)),
      s('text', { x: (x0 + x1) / 2, y: l.y - 12, 'text-anchor': 'middle' }, !l.used ? '' : l.n === 'shared' ? pct(l.share) : si(l.bytes) + 'B'),
      s('text', { x: (x0 + x1) / 2, y: l.y + 22, 'text-anchor': 'middle' }, l.used && l.n !== 'shared' ? pct(l.share) : ''));
  }
  for (const [n, [x, y, w]] of Object.entries(box)) {
    const high = n === 'SM' ? 96 : 40, top = n === 'SM' ? 24 : y;
    g.append(s('rect', { x, y: top, width: w, height: high, rx: 4, fill: 'var(--panel)', stroke: 'var(--faint)' }), s('text', { x: x + w / 2, y: top + high / 2 + (names[n][1] ? -3 : 4), 'text-anchor': 'middle', class: 'strong' }, names[n][0]),
      s('text', { x: x + w / 2, y: top + high / 2 + 13, 'text-anchor': 'middle' }, names[n][1]));
  }
  return [h('h3', { class: 'sub' }, 'Memory chart'), g];
}
function facts(k) {
  const warps = run().gpu ? run().gpu.warps_per_sm : 0, small = k.limited_by.includes('grid');
  const list = [['Grid, block', `${k.grid || '?'}  ×  ${k.block || '?'} threads`], ['Thread blocks', int(k.ctas) + (small ? ', fewer than the GPU can hold' : `, up to ${k.ctas_per_sm} per SM (${k.waves < 100 ? k.waves.toPrecision(2) : int(k.waves)} waves)`)],
    ['Occupancy', `${pct(k.occupancy)} achieved` + (warps ? ` (${dec(k.occupancy * warps, 1)} of ${warps} warps)` : '') + `, ${pct(k.occupancy_limit)} ${small ? 'possible with this grid' : 'theoretical'}`],
    ['Occupancy limiter', k.limited_by.length ? k.limited_by.map(l => l === 'grid' ? 'grid size' : l).join(', ') : 'unknown'],
    ['Registers', `${k.registers || '?'} per thread`], ['Shared memory', k.shared_memory ? int(k.shared_memory) + ' bytes per thread block' : 'none'],
    ['Hit rates', `L1D ${pct(k.hits.L1)}, L2 ${pct(k.hits.L2)}, DRAM row ${pct(k.hits.row)}`],
    ['Active lanes', `${pct(k.lanes)} of the warp size on average`], k.transactions ? ['Coalescing', `${k.transactions.toPrecision(3)} sectors of 32 bytes per load or store of global or local memory`] : null,
    k.bandwidth.shared.rate ? ['Bank conflicts', `${pct(k.conflicts)} of the shared memory access cycles`] : null,
    k.power ? ['Power, energy', `${k.power[0].toPrecision(3)} W, ${k.power[1].toPrecision(3)} J since the previous kernel; energy × delay ${k.power[2].toPrecision(3)} J s`] : null,
    ['Launch latency', `${int(k.launch)} cycles, not included in the ${int(k.cycles)} cycles of execution`]].filter(Boolean);
  return h('dl', { class: 'facts' }, list.map(([n, v]) => [h('dt', {}, n), h('dd', {}, v)]));
}
function occupancyTable(k) {
  if (!k.occupancy_rows || !k.occupancy_rows.length) return null;
  return [h('h3', { class: 'sub' }, 'Occupancy by resource'), h('div', { class: 'wide' }, h('table', {}, h('thead', {}, h('tr', {}, [['resource'], ['blocks', 1], ['occupancy', 1], ['what if']].map(([n, right]) => h('th', { scope: 'col', class: right ? 'num' : null }, n)))),
    h('tbody', {}, k.occupancy_rows.map(r => h('tr', {}, h('td', {}, r.limits ? h('b', {}, r.resource) : r.resource), h('td', { class: 'num' }, int(r.ctas)), h('td', { class: 'num' }, pct(r.occupancy)), h('td', { class: 'soft', style: 'white-space:normal' }, r.to_gain))))))];
}
// Roofline in floating-point operations: a roof for each type, and the bandwidth of DRAM.
function flopRoofline(k) {
  const peaks = run().peak_flops || {}, bw = k.bandwidth.DRAM.peak, bytes = k.bandwidth.DRAM.rate;
  const kinds = Object.entries(k.flops || {}).filter(e => e[1] > 0);
  if (!kinds.length || !bw) return null;
  const colours = { FP64: '--c4', FP32: '--c1', FP16: '--c3', tensor: '--c5' };
  const roofs = kinds.map(e => [e[0], peaks[e[0]]]).filter(e => e[1]), dots = kinds.map(([n, v]) => ({ n, y: v, x: bytes ? v / bytes : null }));
  const W = 470, H = 230, L = 46, R = 14, T = 24, B = 34, high = Math.max(...roofs.map(r => r[1]), ...dots.map(d => d.y));
  const x0 = Math.pow(10, Math.floor(Math.log10(Math.min(.1, ...dots.filter(d => d.x).map(d => d.x))))), x1 = Math.pow(10, Math.ceil(Math.log10(Math.max(high / bw, 100, ...dots.map(d => d.x || 0))) + .05));
  const y1 = Math.pow(10, Math.ceil(Math.log10(high * 1.05))), y0 = Math.min(y1 / 1e4, Math.pow(10, Math.floor(Math.log10(Math.min(...dots.map(d => d.y))))));
  const X = v => L + (W - L - R) * Math.log(v / x0) / Math.log(x1 / x0), Y = v => T + (H - T - B) * Math.log(y1 / v) / Math.log(y1 / y0);
  const text = d => `${d.n}: ${si(d.y)}FLOP/s` + (peaks[d.n] ? `, ${pct(d.y / peaks[d.n])} of the peak of ${si(peaks[d.n])}FLOP/s` : '') + (d.x ? `, ${si(d.x)} FLOP per byte of DRAM` : ', no traffic to DRAM');
  const g = s('svg', { viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img', 'aria-label': 'Roofline of floating-point operations. ' + dots.map(text).join('. ') });
  for (let v = x0; v <= x1 * 1.01; v *= 10) g.append(s('line', { class: 'gridline', x1: X(v), x2: X(v), y1: T, y2: H - B }), s('text', { x: X(v), y: H - B + 15, 'text-anchor': 'middle' }, v < 1 ? +v.toPrecision(1) : si(v).replace(/\.00?/, '')));
  for (let v = y0; v <= y1 * 1.01; v *= 10) g.append(s('line', { class: 'gridline', x1: L, x2: W - R, y1: Y(v), y2: Y(v) }), s('text', { x: L - 6, y: Y(v) + 4, 'text-anchor': 'end' }, si(v).replace(/\.00?/, '')));
  g.append(s('text', { x: (L + W - R) / 2, y: H - 3, 'text-anchor': 'middle' }, 'FLOP per byte of DRAM'), s('text', { x: L, y: T - 8 }, 'floating-point operations per second'));
  const from = Math.max(x0, y0 / bw), top = Math.max(...roofs.map(r => r[1]), 0);
  if (top) g.append(s('line', { x1: X(from), y1: Y(from * bw), x2: X(top / bw), y2: Y(top), stroke: 'var(--c2)', 'stroke-width': 1.5 }));
  for (const [n, peak] of roofs) g.append(s('line', { x1: X(Math.min(x1, peak / bw)), y1: Y(peak), x2: X(x1), y2: Y(peak), stroke: `var(${colours[n]})`, 'stroke-width': 1.5 }), s('text', { x: W - R, y: Y(peak) - 5, 'text-anchor': 'end', style: `fill:var(${colours[n]})` }, `${n} ${si(peak)}FLOP/s`));
  for (const d of dots) g.append(tip(s('circle', { cx: X(d.x || x1), cy: Y(d.y), r: 5.5, fill: `var(${colours[d.n]})`, stroke: 'var(--panel)', 'stroke-width': 1.5 }), text(d)));
  return [h('h3', { class: 'sub' }, 'Floating-point operations'), g, h('div', { class: 'legend' }, dots.map(d => h('span', {}, h('i', { style: `background:var(${colours[d.n]});border-radius:9px` }), text(d))))];
}
function waits(k) {
  const entries = Object.entries(k.waits).filter(e => e[1] > .002).sort((a, b) => b[1] - a[1]);
  if (!entries.length) return null;
  const colours = { memory: '--c2', 'shared memory': '--c3', scoreboard: '--c6', barrier: '--c4', pipeline: '--pipeline', 'instruction fetch': '--c5', exit: '--nothing', none: '--issued', atomics: '--c1', 'memory barrier': '--c1', 'asynchronous copies': '--c1' };
  const text = { none: 'not selected (ready)', scoreboard: 'arithmetic result', memory: 'load from memory', 'shared memory': 'load from shared memory', exit: 'exit (outstanding stores)', pipeline: 'pipeline busy' };
  return [h('h3', { class: 'sub' }, 'Warp states'), stack(entries.map(e => e[1]), entries.map(e => [e[0], text[e[0]] || e[0], colours[e[0]] || '--c1']), 'Warp states')];
}
function detail() {
  const k = run().kernels[state.kernel], box = $('detail');
  if (!k) { box.replaceChildren(); return; }
  const why = k.findings.length ? h('ol', { class: 'why' }, k.findings.map(f => h('li', {}, h('span', { class: 'w', title: 'Estimated speed-up without it, at most' }, f.speed_up.toFixed(f.speed_up < 9.95 ? 2 : 0), h('small', {}, '×')), h('div', {}, h('b', {}, f.headline), h('p', {}, f.detail), (f.places || []).length ? h('div', { class: 'places' }, f.places.map(p => h('p', {}, h('span', { class: 'mono' }, p.where), ': ' + p.degree))) : null, f.remedy ? h('p', { class: 'soft' }, f.remedy) : null))))
    : h('p', { class: 'soft' }, 'No counter explains the time of this kernel.');
  box.replaceChildren(h('section', { class: 'panel', 'aria-labelledby': 'kname' },
    h('div', { class: 'head' }, h('h2', { id: 'kname' }, `${k.number}  ${brief(k.name)}`), h('span', { class: 'soft' }, `${time(k.seconds)}, ${int(k.cycles)} cycles`), h('span', { class: 'tag' }, 'limited by ' + k.bound),
      k.overlapped ? h('span', { class: 'tag' }, 'overlapped with other kernels: counters are shared') : null),
    brief(k.name) !== k.name ? h('p', { class: 'mono soft full' }, k.name) : null,
    h('div', { class: 'cols' },
      h('div', {}, h('h3', {}, 'Why it takes this long'), h('p', { class: 'soft', style: 'margin-bottom:8px' }, 'Ordered by the estimated speed-up without each reason, at most. Reasons overlap.'), why),
      h('div', {}, h('h3', {}, 'Scheduler cycles'), stack(k.slots, SLOTS, 'Scheduler cycles'), waits(k), h('h3', { class: 'sub' }, 'Throughput'), rates(k))),
    h('div', { class: 'cols sub' }, h('div', {}, h('h3', {}, 'Roofline'), roofline(k), flopRoofline(k)),
      h('div', {}, h('h3', {}, 'Resources'), facts(k), occupancyTable(k), memoryChart(k), h('h3', { class: 'sub' }, 'Latency by hop'), hops(k)))), source(k) || '');
}

// ---- instructions ----------------------------------------------------------------------------
function source(k) {
  const p = run().profile[k.profile || k.name];
  if (!p) return panel('Instructions', '', h('p', { class: 'soft' }, 'Not recorded. Run with -enable_ptx_file_line_stats 1 to see which instructions warps wait for.'));
  const blame = p.blames ? 'awaited' : 'waited', all = p.rows.reduce((a, r) => a + r[blame], 0) || 1, most = Math.max(1, ...p.rows.map(r => r[blame]));
  const text = r => r.txt || (p.line_kind === 'PTX' && p.text[r.line]) || r.op;
  const hasSource = p.rows.some(r => r.src) || p.line_kind === 'source';
  const kind = p.rows.length && /^[a-z]/.test(p.rows[0].op) ? 'PTX' : 'SASS';
  const hot = [...p.rows].sort((a, b) => b[blame] - a[blame]).filter(r => r[blame] > all * .02).slice(0, 5);
  const where = r => r.src || (p.line_kind === 'source' && r.line ? 'line ' + r.line : '');
  const heat = r => { const f = r[blame] / most; return h('td', { class: 'num', style: f > .01 ? `background:rgba(var(--hot), ${(.05 + .5 * f).toFixed(3)})` : null }, r[blame] ? pct(r[blame] / all) : ''); };
  const own = r => { const w = Object.entries(r.waits).sort((a, b) => b[1] - a[1])[0]; return h('td', {}, w ? [h('span', { class: 'soft' }, `${si(w[1])} `), w[0] === 'memory' ? 'load' : w[0]] : ''); };
  const energy = p.rows.reduce((a, r) => a + (r.pj || 0), 0);
  const HEAD = [['', kind === 'PTX' ? 'line' : 'PC'], ['', kind], ['num', 'issues'], ['num', 'lanes'], ['num', p.blames ? 'stall caused' : 'stall before it', p.blames ? 'Share of the warp cycles that other instructions spent waiting for the result of this one' : 'Share of the warp cycles spent before this instruction'], ['', 'own stall, warp cycles', 'Warp cycles by the most frequent reason why this instruction itself waited'], ['num', 'latency', 'Mean core cycles from issue to completion'], ['num', 'sectors', 'Memory accesses per warp instruction; a coalesced one of 4 bytes per lane has four'], ['num', 'L1 hits', 'Hit rate of its L1 accesses'], ['num', 'conflict', 'Cycles of shared memory banks per instruction: n-way bank conflict'], ...(energy ? [['num', 'pJ', 'Energy of its events per warp instruction'], ['num', 'energy', 'Share of the energy of all instructions']] : [])];
  const joules = (pj, n) => !energy ? [] : [...(n ? [h('td', { class: 'num' }, pj ? si(pj / n) : '')] : []), h('td', { class: 'num' }, pj ? pct(pj / energy) : '')];
  const code = () => {
    const rows = []; let last = null;
    p.rows.slice(0, state.shown).forEach((r, i) => {
      const w = where(r);
      if (hasSource && w && w !== last) rows.push(h('tr', { class: 'src' }, h('td', { class: 'soft' }, w), h('td', { colspan: HEAD.length - 1 }, p.source[w] || (p.line_kind === 'source' ? p.text[r.line] : '') || '')));
      last = w || last;
      rows.push(h('tr', { id: 'pc' + r.pc, tabindex: '-1' }, h('td', { class: 'mono faint' }, kind === 'PTX' && r.line ? r.line : '0x' + r.pc.toString(16)), h('td', { class: 'txt', title: text(r) }, text(r)), h('td', { class: 'num' }, si(r.n)),
        h('td', { class: 'num' }, r.lanes === null ? '' : dec(r.lanes, r.lanes < 31.95 ? 1 : 0)), heat(r), own(r), h('td', { class: 'num' }, r.lat ? dec(r.lat, 0) : ''), h('td', { class: 'num' }, r.tx ? r.tx.toPrecision(3) : ''), h('td', { class: 'num' }, r.l1 === null ? '' : pct(r.l1)), h('td', { class: 'num' }, r.ways ? r.ways.toPrecision(2) : ''), joules(r.pj, r.n || 1)));
    });
    return h('table', {}, h('thead', {}, h('tr', {}, HEAD.map(c => h('th', { class: c[0], scope: 'col', title: c[2] }, c[1])))), h('tbody', {}, rows));
  };
  const lines = () => {
    const by = new Map();
    for (const r of p.rows) { const w = where(r); if (!w) continue; const l = by.get(w) || { w, t: p.source[w] || p.text[r.line] || '', n: 0, b: 0, pj: 0, tx: 0, ops: [] }; l.n += r.n; l.b += r[blame]; l.pj += r.pj || 0; l.ops.push(r.op); by.set(w, l); }
    const list = [...by.values()].sort((a, b) => a.w.localeCompare(b.w, 'en', { numeric: true })), max = Math.max(1, ...list.map(l => l.b));
    return h('table', {}, h('thead', {}, h('tr', {}, [['', 'line'], ['', 'source'], ['num', 'issues'], ['num', p.blames ? 'stall caused' : 'stall before it'], ...(energy ? [['num', 'energy']] : []), ['', 'instructions']].map(c => h('th', { class: c[0], scope: 'col' }, c[1])))),
      h('tbody', {}, list.map(l => h('tr', {}, h('td', { class: 'mono faint' }, l.w), h('td', { class: 'txt' }, l.t), h('td', { class: 'num' }, si(l.n)), h('td', { class: 'num', style: l.b > max * .01 ? `background:rgba(var(--hot), ${(.05 + .5 * l.b / max).toFixed(3)})` : null }, l.b ? pct(l.b / all) : ''), joules(l.pj), h('td', { class: 'ops' }, l.ops.slice(0, 4).join(' ') + (l.ops.length > 4 ? ' …' : ''))))));
  };
  const body = h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': 'Instructions' }, state.view === 'lines' && hasSource ? lines() : code());
  const jump = r => { if (state.view === 'lines') { state.view = 'code'; } state.shown = Math.max(state.shown, p.rows.length); detail(); const row = $('pc' + r.pc), c = row.closest('.code'); c.scrollTop = row.offsetTop - c.clientHeight / 2; row.focus({ preventScroll: true }); };
  const views = hasSource ? h('div', { role: 'group', 'aria-label': 'View' }, [['code', kind], ['lines', 'Source']].map(([v, t]) => [h('button', { 'aria-pressed': String(state.view === v), onclick: () => { state.view = v; detail(); } }, t), ' '])) : null;
  return h('section', { class: 'panel', 'aria-label': 'Instructions' }, h('div', { class: 'head' }, h('h2', {}, 'Instructions'),
    h('span', { class: 'soft' }, (p.blames ? 'stalls are attributed to the instruction that was waited for, not to the one that waited' : 'stall cycles before each instruction') + (p.launches > 1 ? `; sum of ${int(p.launches)} launches` : k.profile ? '; of this launch' : '')), h('span', { class: 'grow' }), views),
    hot.length ? h('div', { class: 'legend', style: 'margin:0 0 12px;gap:6px' }, h('span', { style: 'align-self:center' }, 'Hottest'), hot.map(r => h('button', { class: 'mono', onclick: () => jump(r) }, `${r.op}  ${pct(r[blame] / all)}`))) : null,
    body, state.view === 'code' && p.rows.length > state.shown ? h('p', { style: 'margin-top:10px' }, h('button', { onclick: () => { state.shown += 1000; detail(); } }, `Show more (${int(p.rows.length - state.shown)} remaining)`)) : null);
}

// ---- over time -------------------------------------------------------------------------------
function chart(title, unit, series, t, r, top, stacked) {
  const upTo = (n, i) => series.slice(0, n + 1).reduce((a, q) => a + (q.values[i] || 0), 0);
  const drawn = stacked ? series.map((q, n) => ({ ...q, values: q.values.map((_, i) => upTo(n, i)) })).reverse() : series;
  const W = 1140, H = 130, L = 52, R = 8, T = 8, B = 20, x = t.cycles, end = x[x.length - 1] || 1;
  const values = drawn.flatMap(q => q.values).filter(v => v !== null), max = top || Math.max(1e-9, ...values);
  if (!values.some(v => v !== 0)) return null;  // nothing happened
  const nice = (() => { if (top) return top; const e = Math.pow(10, Math.floor(Math.log10(max))); for (const m of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) if (m * e >= max) return m * e; return 10 * e; })();
  const X = c => L + (W - L - R) * c / end, Y = v => T + (H - T - B) * (1 - v / nice);
  const mean = v => { const f = v.filter(a => a !== null); return f.length ? f.reduce((a, b) => a + b, 0) / f.length : 0; };
  const g = s('svg', { viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img', 'aria-label': `${title} over time: ` + series.map(q => `${q.name} ${si(mean(q.values))} on average, at most ${si(Math.max(0, ...q.values.filter(v => v !== null)))} ${unit}`).join('; ') });
  if (r.kernels.length <= 400) r.kernels.forEach(k => { if (k.end > k.start) g.append(tip(s('rect', { x: X(k.start), width: Math.max(.5, X(Math.min(end, k.end)) - X(k.start)), y: T, height: H - T - B, fill: 'var(--hover)' }), `${k.number} ${brief(k.name)}`)); });
  for (const f of [0, .5, 1]) g.append(s('line', { class: 'gridline', x1: L, x2: W - R, y1: Y(nice * f), y2: Y(nice * f) }), s('text', { x: L - 8, y: Y(nice * f) + 4, 'text-anchor': 'end' }, unit === '%' ? 100 * nice * f : si(nice * f).replace(/\.0+$/, '')));
  for (const v of ticks(end, 8)) g.append(s('text', { x: X(v), y: H - 4, 'text-anchor': v === 0 ? 'start' : X(v) > W - 30 ? 'end' : 'middle' }, int(v)));
  for (const q of drawn) {
    let d = '', from = 0, open = false;
    q.values.forEach((v, i) => { if (v === null) { open = false; from = x[i]; return; } d += (open ? 'L' : 'M') + X(from).toFixed(1) + ' ' + Y(v).toFixed(1) + 'L' + X(x[i]).toFixed(1) + ' ' + Y(v).toFixed(1); open = true; from = x[i]; });
    if (stacked) { g.append(s('path', { d: `${d}L${X(end)} ${Y(0)}L${X(0)} ${Y(0)}Z`, fill: `var(${q.color})` })); continue; }
    g.append(s('path', { d, fill: 'none', stroke: `var(${q.color})`, 'stroke-width': 1.5, 'stroke-linejoin': 'round' }));
  }
  const rule = s('line', { y1: T, y2: H - B, stroke: 'var(--faint)', visibility: 'hidden' }); g.append(rule);
  tip(g, e => { const box = g.getBoundingClientRect(), c = ((e.clientX - box.left) / box.width * W - L) / (W - L - R) * end, i = x.findIndex(v => v >= c); if (c < 0 || i < 0) return '';
    rule.setAttribute('x1', X(c)); rule.setAttribute('x2', X(c)); rule.setAttribute('visibility', 'visible'); const k = r.kernels.find(q => q.start <= c && c <= q.end);
    return `cycle ${int(x[i])}${k ? '  ·  ' + brief(k.name) : ''}\n` + series.map(q => `${q.name}: ${q.values[i] === null ? '–' : unit === '%' ? pct(q.values[i]) : si(q.values[i]) + ' ' + unit}`).join('\n'); });
  g.addEventListener('pointerleave', () => rule.setAttribute('visibility', 'hidden'));
  return h('div', { style: 'margin-bottom:16px' }, h('div', { style: 'display:flex;gap:18px;align-items:baseline' }, h('h3', { style: 'margin:0' }, title), h('div', { class: 'legend', style: 'margin:0' }, h('span', {}, unit), series.length > 1 ? series.map(q => h('span', {}, h('i', { style: `background:var(${q.color})` }), q.name)) : null)), g);
}
// Power by group of components, from --interval data of a run with -power_simulation_enabled.
function powerOf(w) {
  const groups = [['constant, leakage', '--nothing', 'CONSTP STATICP IDLE_COREP'], ['instructions', '--c4', 'IBP ICP SCHEDP PIPEP'], ['registers', '--c3', 'RFP'], ['L1, shared memory', '--c2', 'DCP TCP CCP SHRDP'], ['L2, network, DRAM', '--c1', 'L2CP NOCP MCP DRAMP']];
  const named = groups.flatMap(g => g[2].split(' ')), sum = names => w.power.map((_, i) => names.reduce((a, n) => a + ((w[n] || [])[i] || 0), 0));
  const units = Object.keys(w).filter(n => /^(OTHERP|[A-Z0-9_]+P|FP_EXP)$/.test(n) && !named.includes(n));
  return [...groups.map(([name, color, list]) => ({ name, color, values: sum(list.split(' ')) })), { name: 'functional units, others', color: '--c5', values: sum(units) }];
}
function overTime() {
  const r = run(), t = r.time;
  if (!t || !t.cycles.length) return panel('Over time', '', h('p', { class: 'soft' }, 'Not sampled. Run with --interval 1000 --interval-db samples.db to see IPC, bandwidth and stalls over time.'));
  const w = t.whole, pick = list => list.filter(q => w[q[0]]).map(q => ({ name: q[1], color: q[2], values: w[q[0]] }));
  return panel('Over time', 'horizontal axis: core cycles; shaded while a kernel runs',
    chart('IPC', 'thread instructions per cycle', pick([['ipc', 'IPC', '--c1']]), t, r), chart('Scheduler cycles', '%', pick([['issuing', 'instruction issued', '--issued'], ['scoreboard_wait', 'waiting for registers', '--scoreboard'], ['pipeline_stall', 'pipeline busy', '--pipeline'], ['no_instruction', 'no decoded instruction', '--nothing']]), t, r, 1),
    chart('DRAM bandwidth', 'GB/s', pick([['dram_read_bandwidth', 'read', '--c1'], ['dram_write_bandwidth', 'write', '--c2']]), t, r), chart('Hit rates', '%', pick([['l1d_hit_rate', 'L1D', '--c3'], ['l2_hit_rate', 'L2', '--c4']]), t, r, 1),
    chart('Resident warps', 'warps', pick([['resident_warps', 'warps', '--c1']]), t, r),
    w.power ? chart('Power', 'W', powerOf(w), t, r, 0, true) : null);
}
function colour(f) { const hot = css('--hot').split(',').map(Number), base = css('--hover'), n = parseInt(base.slice(1), 16), b = [n >> 16, n >> 8 & 255, n & 255]; const q = Math.pow(Math.min(1, Math.max(0, f)), .7); return b.map((v, i) => Math.round(v + (hot[i] - v) * q)); }
function heatMap(m, t) {
  const names = { sm: ['SMs', 'thread instructions per cycle'], channel: ['Memory channels', 'data bus utilisation'] }[m.kind] || [m.kind, m.statistic];
  const cols = t.cycles.length, rows = m.rows.length, max = Math.max(1e-9, ...m.rows.map(r => Math.max(0, ...r.map(v => v || 0))));
  const c = h('canvas', { class: 'heat', width: cols, height: rows, style: `height:${Math.max(120, Math.min(320, rows * 4))}px`, role: 'img' });
  const x = c.getContext('2d'), img = x.createImageData(cols, rows);
  m.rows.forEach((r, y) => { for (let i = 0; i < cols; ++i) { const [a, b, d] = colour((r[i] || 0) / max), o = 4 * (y * cols + i); img.data[o] = a; img.data[o + 1] = b; img.data[o + 2] = d; img.data[o + 3] = 255; } });
  x.putImageData(img, 0, 0);
  const means = m.rows.map((r, i) => [r.reduce((a, v) => a + (v || 0), 0) / cols, m.units[i]]).sort((a, b) => b[0] - a[0]);
  c.setAttribute('aria-label', `${names[0]} over time, ${names[1]}: busiest ${means[0][1]} with ${si(means[0][0])} on average, least busy ${means[means.length - 1][1]} with ${si(means[means.length - 1][0])}`);
  tip(c, e => { const b = c.getBoundingClientRect(), i = Math.floor((e.clientX - b.left) / b.width * cols), y = Math.floor((e.clientY - b.top) / b.height * rows); return m.rows[y] ? `${m.units[y]}, cycle ${int(t.cycles[i])}\n${m.kind === 'channel' ? pct(m.rows[y][i] || 0) : si(m.rows[y][i] || 0)} ${names[1]}` : ''; });
  return h('div', {}, h('h3', {}, `${names[0]}: ${names[1]}`), c, h('div', { class: 'legend' }, h('span', {}, `one row per unit (${rows}); darkest: ${m.kind === 'channel' ? pct(max) : si(max)}; horizontal axis: core cycles, 0 to ${int(t.cycles[cols - 1])}`)));
}
function cellMap(title, unit, cells) {
  if (!cells || !cells.some(c => c.value)) return null;
  const max = Math.max(1, ...cells.map(c => c.value)), mean = cells.reduce((a, c) => a + c.value, 0) / cells.length, min = Math.min(...cells.map(c => c.value));
  return h('div', {}, h('h3', {}, title), h('div', { class: 'cells', role: 'img', 'aria-label': `${title}: ${si(mean)} ${unit} on average, from ${si(min)} to ${si(max)}` }, cells.map(c => tip(h('i', { style: `background:rgb(${colour(c.value / max).join(',')})` }), `${c.name}\n${int(c.value)} ${unit}`))),
    h('div', { class: 'legend' }, h('span', {}, `${si(mean)} ${unit} on average, ${si(min)} to ${si(max)}` + (mean ? `; maximum ${dec(max / mean, 2)} times the mean` : ''))));
}
function maps() {
  const r = run(), t = r.time;
  const over = t ? t.maps.filter(m => m.rows.some(r => r.some(v => v))).map(m => heatMap(m, t)) : [];
  return panel('SMs and memory channels', 'how evenly the work is distributed', h('div', { class: 'maps' }, cellMap('SMs, whole run', 'warp instructions', r.units.sm), cellMap('Memory channels, whole run', 'DRAM accesses', r.units.channel), over));
}

// ---- side by side ----------------------------------------------------------------------------
function compare() {
  if (runs.length < 2) return null;
  const base = runs[state.run], key = k => k.number + ' ' + k.name;
  const others = runs.filter(r => r !== base), index = others.map(r => new Map(r.kernels.map(k => [key(k), k])));
  // Times, because GPUs have different clocks; cycles if a file does not have its clock.
  const timed = runs.every(r => r.mean_hz), of = r => timed ? r.cycles / r.mean_hz : r.cycles, kernelOf = k => timed ? k.seconds : k.cycles, shown = v => timed ? time(v) : int(v);
  const most = Math.max(...runs.map(of));
  const rows = base.kernels.map(k => ({ k, o: index.map(m => m.get(key(k)) || null) }));
  rows.sort((a, b) => Math.max(...b.o.map(o => o ? Math.abs(kernelOf(o) - kernelOf(b.k)) : 0)) - Math.max(...a.o.map(o => o ? Math.abs(kernelOf(o) - kernelOf(a.k)) : 0)));
  const cell = (a, b) => { const c = b ? change(a, kernelOf(b)) : null; return [h('td', { class: 'num', title: b ? int(b.cycles) + ' core cycles' : null }, b ? shown(kernelOf(b)) : '–'), h('td', { class: 'num', style: c === null || Math.abs(c) < .05 ? 'color:var(--faint)' : `color:var(${c < 0 ? '--issued' : '--pipeline'})` }, signed(c))]; };
  return panel('Comparison', 'times relative to ' + base.name + '; kernels without launch latency',
    h('div', { class: 'rates', style: 'grid-template-columns:max-content 1fr max-content;margin-bottom:18px' }, runs.map(r => [h('span', {}, r.name), h('span', { class: 'meter', style: 'width:100%;height:14px' }, h('i', { style: `width:${100 * of(r) / most}%;background:var(${r === base ? '--accent' : '--c2'})` })), h('span', { class: 'soft' }, h('b', { style: 'color:var(--ink);font-weight:600' }, shown(of(r))), `  (${int(r.cycles)} cycles)  `, r === base ? '' : signed(change(of(base), of(r))) + `, speed-up ${(of(base) / of(r)).toPrecision(3)}x`)])),
    data.options && data.options.length ? h('details', { style: 'margin-bottom:14px', open: data.options.length < 8 }, h('summary', {}, data.options.length === 1 ? 'One option differs' : `${data.options.length} options differ`), h('table', {}, h('thead', {}, h('tr', {}, h('th', {}, 'option'), runs.map(r => h('th', {}, r.name)))), h('tbody', {}, data.options.slice(0, 200).map(o => h('tr', {}, h('td', { class: 'mono' }, o.name), o.values.map(v => h('td', { class: 'mono' }, v.length > 60 ? v.slice(0, 57) + '…' : v))))))) : null,
    h('div', { style: 'overflow-x:auto' }, h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'kernel'), h('th', { class: 'num', scope: 'col' }, base.name), others.map(r => [h('th', { class: 'num', scope: 'col' }, r.name), h('th', { class: 'num', scope: 'col' }, 'change')]))),
      h('tbody', {}, rows.slice(0, state.compared).map(r => h('tr', {}, h('td', { title: r.k.name, style: 'max-width:420px;overflow:hidden;text-overflow:ellipsis' }, `${r.k.number}  ${brief(r.k.name)}`), h('td', { class: 'num', title: int(r.k.cycles) + ' core cycles' }, shown(kernelOf(r.k))), r.o.map(o => cell(kernelOf(r.k), o))))))),
    rows.length > state.compared ? h('p', { class: 'soft', style: 'margin-top:8px' }, `The ${state.compared} of ${int(rows.length)} kernels with the largest change. `, h('button', { onclick: () => { state.compared += 100; all(); } }, 'Show more')) : null);
}

function all() {
  header();
  $('main').replaceChildren(overview(), compare() || '', kernels(), h('div', { id: 'detail' }), overTime(), maps());
  detail();
  $('foot').replaceChildren(`simtlm ${run().version}. All counters are those of the simulated GPU; docs/statistics.md explains them. The scheduler cycles add up to 100 %; the shares of bandwidth, inactive lanes and bank conflicts overlap with them.`);
}
let longest = 0;
run().kernels.forEach((k, i) => { if (k.cycles > run().kernels[longest].cycles) longest = i; });
state.kernel = longest;
all();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (!document.documentElement.dataset.theme) all(); });
document.documentElement.dataset.ready = '1';
})();
