(() => {
const metrics = new Map(data.metrics.map(m => [m.name, m]));
const all = { ...data.total, name: 'all kernels' };
const state = { kernel: 0, filter: '' };
const units = { s: [1e6, 'µs'], Hz: [1e-6, 'MHz'], 'bytes/s': [1e-9, 'GB/s'] };
const shown = (v, unit) => { if (v === null) return '–'; const n = v * (units[unit] || [1])[0]; return Number.isInteger(n) || Math.abs(n) >= 1000 ? int(n) : n.toPrecision(4); };
const unitName = unit => (units[unit] || [1, unit])[1];
const errorColor = e => e === null || Math.abs(e) < .05 ? '--soft' : Math.abs(e) < .2 ? '--c6' : '--pipeline';
const percent = e => e === null ? '–' : signed(100 * e);
const times = k => k.measured_launches === k.simulated_launches ? int(k.measured_launches) : `${int(k.measured_launches)} / ${int(k.simulated_launches)}`;
const size = k => k.grid ? `grid ${k.grid}, block ${k.block}` : '';
const listed = () => data.kernels.length > 1 ? [...data.kernels, all] : data.kernels;

function header() {
  const clock = `SM clock ${data.clock_origin}: ${int(data.clock_hz / 1e6)} MHz` + (data.run_clock_hz ? `, of the preset: ${int(data.run_clock_hz / 1e6)} MHz` : '');
  $('top').replaceChildren(h('div', { class: 'bar-top' }, h('h1', {}, 'Profile and simulation'),
    h('span', { class: 'soft' }, [data.measured.kind, data.simulated.presets.join(', '), clock].join('  ·  ')), h('span', { class: 'grow' }), themeButton(draw)));
}
function overview() {
  const e = data.errors, t = data.total;
  const card = (value, label) => h('div', { class: 'card' }, h('b', {}, value), h('span', {}, label));
  return h('section', { class: 'panel cards', 'aria-label': 'Summary' },
    card(t.measured_seconds === null ? '–' : time(t.measured_seconds), 'measured, all compared kernels'),
    card(t.simulated_seconds === null ? '–' : time(t.simulated_seconds), 'simulated'), card(percent(t.error), 'error of the total'),
    card(e.kernels ? (100 * e.mean).toFixed(1) + ' %' : '–', 'mean absolute error of a kernel'), card(e.kernels ? percent(e.worst) : '–', 'worst kernel'),
    card(int(e.kernels), (e.kernels === 1 ? 'kernel' : 'kernels') + ' compared' + (e.omitted ? `, ${int(e.omitted)} left out` : '')));
}
// Simulated over measured time of all kernels, on logarithmic axes; the diagonal is a perfect model.
function scatter() {
  const points = data.kernels.map((k, i) => ({ k, i, x: k.measured_seconds, y: k.simulated_seconds })).filter(p => p.x > 0 && p.y > 0);
  if (points.length < 2) return null;
  const values = points.flatMap(p => [p.x, p.y]), low = Math.floor(Math.log10(Math.min(...values))), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const W = 360, L = 58, B = 34, at = v => (Math.log10(v) - low) / (high - low) * (W - L - 10);
  const X = v => L + at(v), Y = v => W - B - at(v), lines = [];
  for (let d = low; d <= high; ++d) lines.push(s('line', { class: 'gridline', x1: X(10 ** d), x2: X(10 ** d), y1: Y(10 ** low), y2: Y(10 ** high) }), s('line', { class: 'gridline', x1: X(10 ** low), x2: X(10 ** high), y1: Y(10 ** d), y2: Y(10 ** d) }),
    s('text', { x: X(10 ** d), y: W - B + 15, 'text-anchor': 'middle' }, time(10 ** d)), s('text', { x: L - 6, y: Y(10 ** d) + 4, 'text-anchor': 'end' }, time(10 ** d)));
  return panel('Time of a launch', 'simulated (up) over measured (right)', s('svg', { viewBox: `0 0 ${W} ${W}`, width: W, height: W, role: 'img', 'aria-label': 'Simulated and measured times of the kernels' }, lines,
    s('line', { class: 'axis', x1: X(10 ** low), y1: Y(10 ** low), x2: X(10 ** high), y2: Y(10 ** high), 'stroke-dasharray': '4 3' }),
    points.map(p => tip(s('circle', { cx: X(p.x), cy: Y(p.y), r: p.i === state.kernel ? 6 : 4, fill: css(p.i === state.kernel ? '--c2' : '--accent'), 'fill-opacity': .8, style: 'cursor:pointer', onclick: () => { state.kernel = p.i; draw(); } }), `${brief(p.k.name)}\nmeasured ${time(p.x)}, simulated ${time(p.y)}, ${percent(p.k.error)}`))));
}
const head = names => h('thead', {}, h('tr', {}, names.map(([n, right]) => h('th', { scope: 'col', class: right ? 'num' : null }, n))));
const errorCells = e => [h('td', { class: 'num', style: `color:var(${errorColor(e)})` }, percent(e)),
  h('td', {}, h('span', { class: 'meter', style: 'width:110px', 'aria-hidden': 'true' }, e === null ? null : h('i', { style: `left:${e < 0 ? 50 - 50 * Math.min(1, -e) : 50}%;right:auto;width:${50 * Math.min(1, Math.abs(e))}%;background:var(${errorColor(e)})` })))];
function kernels() {
  const row = (k, i) => h('tr', { style: i === state.kernel ? 'background:var(--pick)' : 'cursor:pointer', onclick: () => { state.kernel = i; draw(); } },
    h('td', { title: k.name, style: 'max-width:420px;overflow:hidden;text-overflow:ellipsis' }, h('button', { style: 'border:0;background:none;padding:0;min-height:0', 'aria-pressed': String(i === state.kernel) }, brief(k.name)), ' ', h('span', { class: 'faint' }, size(k))),
    h('td', { class: 'num' }, times(k)), h('td', { class: 'num' }, shown(k.measured_seconds, 's')), h('td', { class: 'num' }, shown(k.simulated_seconds, 's')), errorCells(k.error));
  return panel('Kernels', 'longest first; times of a launch', h('div', { id: 'kernels', class: 'code' }, h('table', {},
    head([['kernel'], ['launches', 1], ['measured µs', 1], ['simulated µs', 1], ['error', 1], ['−100 % … +100 %']]), h('tbody', {}, listed().map(row)))));
}
function detail() {
  const k = listed()[state.kernel];
  if (!k) return null;
  const wanted = k.metrics.filter(v => v.metric.toLowerCase().includes(state.filter.toLowerCase()));
  const rows = []; let section = '';
  for (const v of wanted) {
    const m = metrics.get(v.metric);
    if (m.section !== section) rows.push(h('tr', { class: 'src' }, h('td', { colspan: 6 }, section = m.section)));
    rows.push(h('tr', {}, h('td', { class: 'mono', title: m.approximate ? 'The definitions differ (docs/profiles.md)' : null }, (m.approximate ? '~ ' : '') + v.metric), h('td', { class: 'soft' }, unitName(m.unit)),
      h('td', { class: 'num' }, shown(v.measured, m.unit)), h('td', { class: 'num' }, shown(v.simulated, m.unit)), errorCells(v.error)));
  }
  const search = h('input', { type: 'search', placeholder: 'Filter metrics', 'aria-label': 'Filter metrics', value: state.filter, oninput: e => { state.filter = e.target.value; const table = detail(); $('detail').replaceChildren(table); const box = table.querySelector('input'); box.focus(); box.setSelectionRange(box.value.length, box.value.length); } });
  const single = k.launches.length > 1 ? h('p', { class: 'soft', style: 'margin-bottom:10px' }, `Errors of the ${int(k.launches.length)} launches in order: `, k.launches.slice(0, 40).map(([m, t]) => percent(m ? t / m - 1 : null)).join(', ') + (k.launches.length > 40 ? ' …' : '')) : null;
  return panel(brief(k.name), [size(k), k === all ? 'sums over all measured launches' : 'means of a launch'].filter(Boolean).join('  ·  '), h('p', { class: 'soft mono full', title: k.name }, k.name), single, h('div', { style: 'margin-bottom:10px' }, search),
    rows.length ? h('div', { class: 'code' }, h('table', {}, head([['metric'], ['unit'], ['measured', 1], ['simulated', 1], ['error', 1], ['−100 % … +100 %']]), h('tbody', {}, rows))) : h('p', { class: 'soft' }, 'No metrics.'));
}
function oneSided() {
  const list = (title, items) => items.length ? h('details', { style: 'margin-top:8px', open: items.length <= 20 }, h('summary', {}, `${title} (${int(items.length)})`), h('table', {}, h('tbody', {}, items.map(cells => h('tr', {}, cells.map((c, i) => h('td', { class: i ? 'soft' : 'mono', style: 'white-space:normal;overflow-wrap:anywhere' }, c))))))) : null;
  const kernelsOf = of => of.kernels.map(k => [k.name + ' ' + size(k), count(k.measured_launches + k.simulated_launches, 'launch', 'launches')]);
  const lists = [list('Kernels only in the profile', kernelsOf(data.only_measured)), list('Kernels only in the run', kernelsOf(data.only_simulated)),
    list('Metrics only in the profile', Object.entries(data.only_measured.metrics)), list('Metrics that the profile lacks', data.only_simulated.metrics.map(m => [m]))].filter(Boolean);
  return lists.length ? panel('Not compared', '', lists) : null;
}
function draw() {
  header();
  $('main').replaceChildren(...[overview(), kernels(), h('div', { id: 'detail' }, detail()), scatter(), oneSided()].filter(Boolean));
  $('foot').replaceChildren(`Measured: ${data.measured.file}. Simulated: ${data.simulated.file}` + (data.launch_latency ? `, including ${int(data.launch_latency)} cycles of launch latency.` : ', without launch latency.') + ' docs/profiles.md explains the metrics.');
}
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (!document.documentElement.dataset.theme) draw(); });
document.documentElement.dataset.ready = '1';
})();
