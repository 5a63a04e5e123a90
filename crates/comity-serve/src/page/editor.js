// The editor: a text area with transparent text, and behind it the visible lines with numbers, colours and findings.
//
// The text area handles typing, selection and undo. Only the visible lines and some lines around them are drawn, so a large file
// is drawn as fast as a small one. If a line is very long, the text area shows the whole text, and only marks are drawn.

import { fill, h } from './dom.js';
import { byteLength, fromEditor, indices, isUnsafe, nameOf, original, runs, toEditor, withStandIns } from './text.js';

/** Number of lines that are drawn above and below the visible lines. */
const OVERSCAN = 30;
/** Length of a line, in characters, above which no text is drawn. */
const LONG_LINE = 2_000;
/** Number of bytes of a dropped file that are read. */
const LONGEST_FILE = 4 << 20;
// The browser can undo text that was inserted by a command, but such an insertion is slow for many lines. Above these limits, the
// editor replaces the text in one step, and stores the previous text for its own undo.
const LINES_AT_ONCE = 20;
const EDITS_AT_ONCE = 8;

export class Editor {
  #area;
  #root;
  #lines;
  #numbers;
  #backdrop;
  #value = '';
  #text = null;
  #starts = [0];
  #findings = [];
  #marks = new Map();
  #height = 20;
  #drawn = null;
  #frame = 0;
  #before = null;
  #onChange;
  #onFix;

  constructor(root, { onChange, onFix, onNext }) {
    this.#root = root;
    this.#area = root.querySelector('textarea');
    this.#lines = root.querySelector('.lines');
    this.#numbers = root.querySelector('.numbers');
    this.#backdrop = root.querySelector('.backdrop');
    this.#onChange = onChange;
    this.#onFix = onFix;
    const area = this.#area;
    area.addEventListener('input', () => this.#changed());
    area.addEventListener('scroll', () => this.#draw(), { passive: true });
    area.addEventListener('paste', (event) => this.#take(event, event.clipboardData));
    const isFile = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
    // Otherwise the browser would open the file in place of the page.
    area.addEventListener('dragover', (event) => isFile(event) && event.preventDefault());
    area.addEventListener('drop', async (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.set(await file.slice(0, LONGEST_FILE).text());
    });
    // The text area covers the buttons of findings, so it forwards clicks to them.
    const button = (event) => document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.matches('.behind button'));
    area.addEventListener('mousemove', (event) => area.classList.toggle('over', Boolean(button(event))));
    area.addEventListener('mousedown', (event) => {
      const under = button(event);
      if (!under) return;
      event.preventDefault();
      under.click();
    });
    area.addEventListener('keydown', (event) => {
      if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && this.canGoBack) {
        event.preventDefault();
        this.goBack();
      } else if (event.key === 'F8') {
        event.preventDefault();
        onNext(this.lineOfCursor, event.shiftKey ? -1 : 1);
      } else if (event.key === '.' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        const finding = this.#findings.find((one) => one.line === this.lineOfCursor && one.fix);
        if (finding) onFix(finding);
      }
    });
    new ResizeObserver(() => {
      this.#measure();
      this.#redraw();
    }).observe(root);
    this.#measure();
    this.#read();
  }

  /** The text without stand-ins: the robots.txt that a site would serve. */
  get text() {
    this.#text ??= fromEditor(this.#value);
    return this.#text;
  }

  /** The number of lines. */
  get length() {
    return this.#value.endsWith('\n') ? this.#starts.length - 1 : this.#value ? this.#starts.length : 0;
  }

  get lineOfCursor() {
    return this.#lineAt(this.#area.selectionStart) + 1;
  }

  focus() {
    this.#area.focus({ preventScroll: true });
  }

  /** Returns the line with this number, counted from 1, with stand-ins. */
  line(number) {
    return this.#value.slice(this.#starts[number - 1] ?? this.#value.length, this.#endOf(number - 1));
  }

  /** Replaces the whole text. If `keeps` is false, `goBack` cannot restore the previous text. */
  set(text, { keeps = true } = {}) {
    const value = toEditor(text);
    if (value === this.#value) return;
    this.#replace(0, this.#value.length, value);
    if (!keeps) this.#before = null;
    this.#area.setSelectionRange(0, 0);
    this.#area.scrollTo(0, 0);
    this.#draw();
  }

  /**
   * Applies fixes, each with all its edits. Offsets are bytes of the text without stand-ins. Skips a fix that overlaps an
   * earlier one.
   */
  apply(fixes) {
    const edits = editsOf(fixes);
    const index = indices(this.#value, edits.flatMap(({ start, end }) => [start, end]));
    const fitting = edits.map(({ start, end, text }) => ({ from: index(start), to: index(end), text: toEditor(text) }));
    if (fitting.length <= EDITS_AT_ONCE) {
      for (const { from, to, text } of fitting.reverse()) this.#replace(from, to, text);
      return;
    }
    let value = '';
    let at = 0;
    for (const { from, to, text } of fitting) {
      value += this.#value.slice(at, from) + text;
      at = to;
    }
    const top = this.#area.scrollTop;
    this.#replace(0, this.#value.length, value + this.#value.slice(at));
    this.#area.scrollTop = top;
  }

  /** True if `goBack` can undo the last change. */
  get canGoBack() {
    return this.#before?.after === this.#value;
  }

  goBack() {
    const { value } = this.#before;
    this.#before = null;
    this.#area.value = value;
    this.#changed();
  }

  /** Draws findings behind the text. Returns the findings with their positions in the text area. */
  show(findings) {
    const places = findings.flatMap(({ place }) => [place.start ?? 0, place.end ?? 0]);
    const index = indices(this.#value, places);
    this.#findings = findings.map((finding) => {
      const { line, start, end } = finding.place;
      const from = start === null ? null : index(start);
      return { ...finding, line, from, to: from === null ? null : Math.max(index(end ?? start), from) };
    });
    this.#redraw();
    return this.#findings;
  }

  /** Replaces all marks. A mark is a line number, counted from 1, and a CSS class. */
  mark(marks) {
    this.#marks = new Map(marks);
    this.#redraw();
  }

  /** Scrolls to a line. If `focus` is true, also moves the cursor there. */
  reveal(number, { focus = false } = {}) {
    const top = (number - 1) * this.#height;
    const { scrollTop, clientHeight } = this.#area;
    if (top < scrollTop + this.#height || top > scrollTop + clientHeight - 3 * this.#height) {
      this.#area.scrollTop = Math.max(0, top - clientHeight / 3);
    }
    if (focus) {
      const start = this.#starts[number - 1] ?? 0;
      this.#area.setSelectionRange(start, start);
      this.focus();
      this.#root.scrollIntoView({ block: 'nearest' });
    }
    this.#draw();
  }

  /** The size of the text without stand-ins, in bytes. */
  get bytes() {
    return byteLength(this.text);
  }

  #measure() {
    this.#height = Number.parseFloat(getComputedStyle(this.#area).lineHeight) || 20;
  }

  /** Handles a paste that contains many lines, or characters that need stand-ins. */
  #take(event, data) {
    const text = data?.getData('text/plain') ?? '';
    const value = toEditor(text);
    if (value === text.replace(/\r\n?/g, '\n') && !hasManyLines(text)) return;
    event.preventDefault();
    this.#replace(this.#area.selectionStart, this.#area.selectionEnd, value);
  }

  /** Replaces a range so that the user can undo the change. Does not move the focus. */
  #replace(from, to, text) {
    const area = this.#area;
    const active = document.activeElement;
    // If no element has the focus, a command would leave the focus in the text area, where the tab key would then begin.
    const isQuiet = active === document.body || active === null;
    if (!isQuiet && !hasManyLines(text) && !hasManyLines(this.#value.slice(from, to))) {
      const top = area.scrollTop;
      area.focus({ preventScroll: true });
      area.setSelectionRange(from, to);
      const isDone = text ? document.execCommand('insertText', false, text) : from === to || document.execCommand('delete');
      if (!isDone) area.setRangeText(text, from, to, 'end');
      area.scrollTop = top;
      if (active !== area) active.focus({ preventScroll: true });
    } else {
      const before = this.#value;
      area.setRangeText(text, from, to, 'end');
      this.#before = { value: before, after: area.value };
    }
    this.#changed();
  }

  #changed() {
    if (this.#area.value === this.#value) return;
    this.#read();
    this.#onChange();
  }

  /** Processes the current content of the text area. */
  #read() {
    const area = this.#area;
    let value = area.value;
    if (isUnsafe(value)) {
      // The text was dropped into the text area, or an input method has inserted it.
      const at = withStandIns(value.slice(0, area.selectionStart)).length;
      value = withStandIns(value);
      area.value = value;
      area.setSelectionRange(at, at);
    }
    this.#shift(value);
    this.#value = value;
    this.#text = null;
    const starts = [0];
    let longest = 0;
    for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) {
      longest = Math.max(longest, at - starts[starts.length - 1]);
      starts.push(at + 1);
    }
    longest = Math.max(longest, value.length - starts[starts.length - 1]);
    this.#starts = starts;
    this.#root.classList.toggle('plain', longest > LONG_LINE);
    this.#root.style.setProperty('--digits', String(Math.max(2, String(starts.length).length)));
    this.#redraw();
  }

  /** Moves findings and marks with their lines after a change of the text. Removes findings and marks of changed lines. */
  #shift(value) {
    if (this.#findings.length + this.#marks.size === 0) return;
    const old = this.#value;
    const most = Math.min(old.length, value.length);
    let front = 0;
    while (front < most && old.charCodeAt(front) === value.charCodeAt(front)) front += 1;
    let back = 0;
    while (back < most - front && old.charCodeAt(old.length - 1 - back) === value.charCodeAt(value.length - 1 - back)) back += 1;
    const first = this.#lineAt(front) + 1;
    const last = this.#lineAt(old.length - back) + 1;
    const lines = (text) => text.split('\n').length;
    const by = lines(value.slice(front, value.length - back)) - lines(old.slice(front, old.length - back));
    const moved = (line) => (line < first ? line : line > last ? line + by : null);
    const length = value.length - old.length;
    this.#findings = this.#findings.flatMap((finding) => {
      const line = moved(finding.line ?? 1);
      if (line === null) return [];
      const step = finding.from !== null && finding.from >= front ? length : 0;
      return [{ ...finding, line, from: finding.from === null ? null : finding.from + step, to: finding.to === null ? null : finding.to + step }];
    });
    this.#marks = new Map([...this.#marks].flatMap(([line, mark]) => (moved(line) === null ? [] : [[moved(line), mark]])));
  }

  #lineAt(index) {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #endOf(line) {
    const next = this.#starts[line + 1];
    return next === undefined ? this.#value.length : next - 1;
  }

  #redraw() {
    this.#drawn = null;
    this.#draw();
  }

  #draw() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  /** Draws the visible lines if some of them are missing, and moves all drawn lines to the scroll position of the text area. */
  #paint() {
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.#area;
    const height = this.#height;
    const top = Math.floor(scrollTop / height);
    const bottom = Math.min(this.#starts.length, Math.ceil((scrollTop + clientHeight) / height) + 1);
    const drawn = this.#drawn;
    if (!drawn || top < drawn.from || bottom > drawn.to) {
      const from = Math.max(0, top - OVERSCAN);
      const to = Math.min(this.#starts.length, bottom + OVERSCAN);
      const byLine = new Map();
      for (const finding of this.#findings) {
        if (finding.line > from && finding.line <= to) byLine.set(finding.line, [...(byLine.get(finding.line) ?? []), finding]);
      }
      const numbers = [];
      const lines = [];
      for (let line = from; line < to; line += 1) {
        const found = byLine.get(line + 1) ?? [];
        const mark = this.#marks.get(line + 1);
        numbers.push(h('div', { class: [mark && `marked ${mark}`, found[0] && `has ${worst(found)}`].filter(Boolean).join(' ') || null }, line + 1));
        lines.push(this.#line(line, found, mark));
      }
      fill(this.#numbers, numbers);
      fill(this.#lines, lines);
      this.#drawn = { from, to };
    }
    const y = this.#drawn.from * height - scrollTop;
    this.#numbers.style.transform = `translateY(${y}px)`;
    this.#lines.style.transform = `translate(${-scrollLeft}px, ${y}px)`;
    this.#lines.style.width = `${clientWidth + scrollLeft}px`;
  }

  /** Creates the element of a line: its text in coloured pieces, and the note with its findings. */
  #line(index, found, mark) {
    const start = this.#starts[index];
    const text = this.#value.slice(start, Math.min(this.#endOf(index), start + LONG_LINE));
    const cuts = new Set([0, text.length]);
    const kinds = kindsOf(text);
    for (const [from, to] of kinds) cuts.add(from).add(to);
    const spots = found.map((finding) => {
      // A finding between two characters is drawn on the character before it. A finding without a position covers the line.
      let from = finding.from === null ? 0 : Math.min(Math.max(finding.from - start, 0), text.length);
      let to = finding.to === null ? text.length : Math.min(Math.max(finding.to - start, 0), text.length);
      if (to <= from) [from, to] = [Math.max(0, from - 1), Math.max(from, 1)];
      cuts.add(from).add(Math.min(to, text.length));
      return { from, to, severity: finding.severity };
    });
    const at = [...cuts].sort((a, b) => a - b);
    const pieces = [];
    for (let i = 0; i + 1 < at.length; i += 1) {
      const [from, to] = [at[i], at[i + 1]];
      const kind = kinds.find((one) => one[0] <= from && to <= one[1])?.[2] ?? '';
      const spot = spots.filter((one) => one.from <= from && to <= one.to);
      const classes = [kind, spot.length && `spot ${worst(spot)}`].filter(Boolean).join(' ');
      pieces.push(span(classes, text.slice(from, to)));
    }
    const note = noteOn(text, found, this.#onFix);
    const line = h('div', { class: mark ? `line ${mark}` : 'line' });
    const body = document.createElement('span');
    body.className = 'body';
    body.append(...pieces);
    line.append(body);
    if (note) line.append(note);
    return line;
  }
}

/** Returns the edits of fixes in the order of the text, without the fixes that overlap an earlier fix. */
function editsOf(fixes) {
  const taken = [];
  // An insertion counts as one byte, so that two fixes do not insert text at the same place.
  const endOf = ({ start, end }) => Math.max(end, start + 1);
  const placeOf = (edit) => {
    let [low, high] = [0, taken.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (taken[middle].start < endOf(edit)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const isFree = (edit) => {
    const before = taken[placeOf(edit) - 1];
    return !before || endOf(before) <= edit.start;
  };
  for (const { edits } of fixes) {
    if (!edits.every(isFree)) continue;
    for (const edit of edits) taken.splice(placeOf(edit), 0, edit);
  }
  return taken;
}

const hasManyLines = (text) => text.length > 20_000 || text.split('\n', LINES_AT_ONCE + 1).length > LINES_AT_ONCE;

const RANK = ['error', 'warning', 'note'];
const worst = (found) => RANK.find((severity) => found.some((one) => one.severity === severity)) ?? 'note';

/** Returns the coloured ranges of a line. */
function kindsOf(text) {
  const hash = text.indexOf('#');
  const end = hash < 0 ? text.length : hash;
  const kinds = hash < 0 ? [] : [[hash, text.length, 'comment']];
  const colon = text.slice(0, end).indexOf(':');
  if (colon > 0) {
    const key = text.slice(0, colon).trim().toLowerCase();
    const kind = { 'user-agent': 'agent', allow: 'allow', disallow: 'disallow' }[key] ?? 'key';
    kinds.push([0, colon + 1, kind]);
    if (kind === 'agent') kinds.push([colon + 1, end, 'agent']);
  }
  return kinds;
}

/** Creates the element of a piece of text and marks its stand-ins. The text equals that of the text area, so both have equal width. */
function span(classes, text) {
  const element = document.createElement('span');
  if (classes) element.className = classes;
  const pieces = runs(text);
  if (pieces.length === 1) {
    element.textContent = text;
    return element;
  }
  pieces.forEach((piece, index) => {
    if (!piece) return;
    const part = document.createElement('span');
    part.textContent = piece;
    if (index % 2) part.className = 'control';
    element.append(part);
  });
  return element;
}

/** Creates the note after the text of a line: its most severe finding, or the names of its invisible characters. */
function noteOn(text, found, onFix) {
  const finding = found.find((one) => one.severity === worst(found));
  if (finding) {
    const more = found.length > 1 ? ` +${found.length - 1}` : '';
    const fix = found.find((one) => one.fix);
    return h(
      'span',
      { class: `behind ${finding.severity}` },
      h('span', { class: 'said' }, finding.message.replaceAll('`', ''), more),
      fix && h('button', { type: 'button', tabindex: '-1', onclick: () => onFix(fix) }, 'Fix'),
    );
  }
  const names = [...new Set(runs(text).flatMap((run, index) => (index % 2 ? [...run] : [])))].map((c) => nameOf(original(c)));
  return names.length ? h('span', { class: 'behind warning' }, h('span', { class: 'said' }, `contains ${names.slice(0, 4).join(', ')}`)) : null;
}
