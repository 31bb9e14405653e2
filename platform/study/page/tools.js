// Functions of all pages.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);

// ---- small tools -----------------------------------------------------------------------------
const NS = 'http://www.w3.org/2000/svg';
function make(ns, tag, attrs, kids) {
  const e = ns ? document.createElementNS(NS, tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'style') e.style.cssText = v;
    else e.setAttribute(k, v === true ? '' : v);
  }
  for (const kid of kids.flat(3)) if (kid !== null && kid !== undefined && kid !== false)
    e.append(kid instanceof Node ? kid : String(kid));
  return e;
}
const h = (tag, attrs, ...kids) => make(false, tag, attrs, kids);
const s = (tag, attrs, ...kids) => make(true, tag, attrs, kids);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const int = n => n === null || n === undefined ? '–' : Math.round(n).toLocaleString('en-US');
const dec = (n, d = 1) => n === null || n === undefined ? '–' : n.toFixed(d);
const pct = f => f === null || f === undefined || f < 0 ? '–' : f > 0 && f < .0005 ? '<0.1 %' : (100 * f).toFixed(f !== 0 && f < .0995 ? 1 : 0) + ' %';
const si = n => { if (n === null || n === undefined) return '–'; for (const [u, v] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) if (Math.abs(n) >= v) return (n / v).toPrecision(3) + ' ' + u; return n >= 100 || Number.isInteger(n) ? int(n) : n.toPrecision(3); };
const time = t => t === 0 ? '0 s' : t < 1e-6 ? (t * 1e9).toPrecision(3) + ' ns' : t < 1e-3 ? (t * 1e6).toPrecision(3) + ' µs' : t < 1 ? (t * 1e3).toPrecision(3) + ' ms' : t.toPrecision(3) + ' s';
const gbs = b => b >= 1e12 ? (b / 1e12).toFixed(b < 9.995e12 ? 2 : 1) + ' TB/s' : (b / 1e9).toFixed(b < 9.95e9 ? 1 : 0) + ' GB/s';
const ticks = (end, most) => { const e = Math.pow(10, Math.floor(Math.log10(end / most || 1))), m = [1, 2, 5, 10].find(f => f * e * most >= end) * e, list = []; for (let v = 0; v <= end; v += m) list.push(v); return list; };
// "void at::f<int, 4>(float*)" as "at::f<…>": what is left out stands in the title.
const brief = name => { let out = '', depth = 0; for (const c of name.replace(/^void /, '').replace(/\(anonymous namespace\)::/g, '')) { if (c === '<' && (depth || /\w$/.test(out))) { if (!depth++) out += '<…>'; } else if (c === '>' && depth) --depth; else if (!depth) { if (c === '(') break; out += c; } } return out || name; };
const count = (n, one, many) => int(n) + ' ' + (n === 1 ? one : many || one + 's');
const change = (a, b) => a ? ((b - a) / a * 100) : null;
const signed = c => c === null ? '–' : (c > 0 ? '+' : '') + c.toFixed(Math.abs(c) < 10 ? 1 : 0) + ' %';
function tip(target, text) {
  target.addEventListener('pointermove', e => {
    const t = $('tip'); const said = typeof text === 'function' ? text(e) : text;
    if (!said) { t.hidden = true; return; }
    t.textContent = said; t.hidden = false;
    t.style.left = Math.min(e.clientX + 14, innerWidth - t.offsetWidth - 8) + 'px';
    t.style.top = Math.min(e.clientY + 16, innerHeight - t.offsetHeight - 8) + 'px';
  });
  target.addEventListener('pointerleave', () => { $('tip').hidden = true; });
  return target;
}
const panel = (title, more, ...kids) => h('section', { class: 'panel', 'aria-label': title },
  h('div', { class: 'head' }, h('h2', {}, title), h('span', { class: 'soft' }, more || '')), kids);
const meter = (f, width, color) => h('span', { class: 'meter', style: `width:${width}px`, 'aria-hidden': 'true' },
  h('i', { style: `width:${Math.min(100, 100 * (f || 0))}%;background:var(${color || '--accent'})` }));
// A button that switches between light and dark colours and draws the page again.
const themeButton = draw => h('button', { onclick: () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark'; draw();
} }, 'Light / dark');
