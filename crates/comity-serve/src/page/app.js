// Start of the page: connects the editor with the views, and updates the visible view when its inputs change.

import { ask, onReach, onTokenWanted } from './ask.js';
import { Compare } from './compare.js';
import { Crawlers } from './crawlers.js';
import { $, count, debounce, fill, h, rove } from './dom.js';
import { Editor } from './editor.js';
import { FindingList } from './findings.js';
import { Load } from './load.js';
import { canLoad, keepToken } from './service.js';
import { LONGEST, isShared, pack, unpack } from './share.js';
import { Usage } from './usage.js';
import { Verdicts } from './verdicts.js';
import { learnTitles, titleOf } from './words.js';
import { Write } from './write.js';

const TABS = ['verdicts', 'crawlers', 'usage', 'compare', 'write'];
/** Length of a text, in characters, above which the page waits longer before it sends the text. */
const LARGE = 64 << 10;
/** Maximum number of bytes of a robots.txt that most dialects read. */
const READ = 512_000;

const EXAMPLE = `# An example: type here, load a site, or have one written
User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /cart/
Disallow: /search
Allow: /search/about
Disalow: /internal/

User-agent: GPTBot
User-agent: CCBot
Allow: /blog/
Disallow: /
`;

/** The state that the views share. */
const page = {
  dialects: [],
  editor: null,
  verdicts: null,

  get robots() {
    return this.editor.text;
  },

  /** The selected dialect; undefined for the default. */
  get dialect() {
    return $('dialect').value || undefined;
  },

  /** Repeats the requests of the visible view. */
  changed: () => refresh(),
  changedSoon: debounce(() => 150, () => refresh()),

  /** Shows a tab. */
  show: (tab) => choose(tab),

  /** Records that the provenance of a site's robots.txt is shown. */
  loaded() {
    isLoaded = true;
  },
};

let tab = 'verdicts';
let isLoaded = false;
let views = {};

/** Sends the changed text after a pause in typing. The pause is longer for a large text. */
const changedText = debounce(
  () => (page.editor.text.length > LARGE ? 400 : 120),
  () => {
    $('back').hidden = !page.editor.canGoBack;
    tellSize();
    list.ask(page.robots);
    refresh();
  },
);

const list = new FindingList(() => page.editor);
page.editor = new Editor($('editor'), {
  onFix: (finding) => list.fix(finding),
  onNext: (line, step) => list.next(line, step),
  onChange: () => {
    list.outdated();
    if (isLoaded) {
      isLoaded = false;
      views.load.forget();
    }
    changedText();
  },
});

function tellSize() {
  const bytes = page.editor.bytes;
  $('size').textContent = bytes ? `${count(page.editor.length, 'line')}, ${size(bytes)}` : 'empty';
  $('size').classList.toggle('disallowed', bytes > READ);
}

const size = (bytes) => (bytes < 1000 ? count(bytes, 'byte') : `${(bytes / 1000).toLocaleString('en', { maximumFractionDigits: bytes < 10_000 ? 1 : 0 })} kB`);

function refresh() {
  views[tab]?.ask();
}

function choose(name) {
  tab = TABS.includes(name) ? name : 'verdicts';
  for (const one of TABS) {
    const isChosen = one === tab;
    $(one).hidden = !isChosen;
    $(`tab-${one}`).setAttribute('aria-selected', String(isChosen));
    $(`tab-${one}`).tabIndex = isChosen ? 0 : -1;
  }
  if (tab !== 'verdicts') page.editor.mark([]);
  refresh();
}

/** Loads the lists of dialects, purposes and crawlers from the service. */
async function meet() {
  const described = await ask('openapi', 'openapi.json');
  if (!described?.answer) return;
  const fields = (path) => described.answer.paths[path].post.requestBody.content['application/json'].schema.properties;
  page.dialects = fields('/v1/check').dialect.anyOf[0].enum;
  const chosen = $('dialect').value;
  fill($('dialect'), page.dialects.map((name, index) => h('option', { value: index ? name : '' }, name)));
  $('dialect').value = chosen || wantedDialect;
  if ($('dialect').selectedIndex < 0) $('dialect').value = '';
  const { items: { enum: purposes }, 'x-titles': titles } = fields('/v1/matrix').purposes;
  learnTitles(titles);
  fill($('purpose'), h('option', { value: '' }, 'all'), purposes.map((word) => h('option', { value: word }, titleOf(word))));
  views.write.build(purposes);
  refresh();
  const known = await ask('catalogue', 'v1/matrix', { robots: '' });
  const rows = (known?.answer?.crawlers ?? []).filter((row) => row.known);
  fill($('catalogue'), h('option', { value: '*', label: 'everyone else' }), rows.map(({ agent, known }) => h('option', { value: agent, label: `${known.operator}, ${titleOf(known.purpose)}` })));
}

let wantedDialect = '';

/** Applies a state: the state in a shared link, or the example. */
function restore(state) {
  views.verdicts.agents = state.agents;
  views.verdicts.selected = state.selected;
  $('urls').value = state.urls.join('\n');
  views.compare.old = state.old;
  views.load.site = state.site;
  wantedDialect = state.dialect === page.dialects[0] ? '' : state.dialect;
  if (page.dialects.length) $('dialect').value = wantedDialect;
  if ($('dialect').selectedIndex < 0) $('dialect').value = '';
  page.editor.set(state.robots, { keeps: page.robots !== '' });
  choose(state.tab);
}

const example = { robots: EXAMPLE, agents: ['Googlebot', 'GPTBot', 'ClaudeBot'], urls: ['/', '/blog/news', '/search/about', '/internal/'], dialect: '', old: '', site: '', tab: 'verdicts', selected: { agent: 'GPTBot', url: '/blog/news' } };

/**
 * Processes the fragment of the URL. Stores a token and removes it from the URL. Applies the state of a shared link, and returns
 * true if the link is valid.
 */
async function follow() {
  const fragment = location.hash;
  const token = new URLSearchParams(fragment.slice(1)).get('token');
  if (token) {
    keepToken(token);
    history.replaceState(null, '', location.pathname + location.search);
  }
  if (!isShared(fragment)) return false;
  const state = await unpack(fragment);
  if (state) restore(state);
  else banner('This link cannot be read. It may be incomplete.');
  return state !== null;
}

async function share() {
  const { verdicts, compare, load } = views;
  const state = {
    robots: page.robots,
    agents: verdicts.agents,
    urls: verdicts.urls,
    dialect: $('dialect').value,
    old: compare.old,
    site: load.site,
    tab,
    selected: verdicts.selected,
  };
  const fragment = await pack(state);
  const isShort = fragment.length <= LONGEST;
  const link = isShort ? location.href.split('#')[0] + fragment : '';
  $('share-link').value = link;
  $('share-link').hidden = !isShort;
  let said = 'The link itself contains the file, the crawlers and the URLs; the service stores nothing.';
  if (!isShort) said = `This file is too large for a link: the link would have ${size(fragment.length)}, and at most ${size(LONGEST)} are allowed.`;
  else if (await navigator.clipboard?.writeText(link).then(() => true, () => false)) said = `Copied. ${said}`;
  $('share-said').textContent = said;
  $('share-dialog').showModal();
  if (isShort) $('share-link').select();
}

function banner(text, again) {
  const box = $('banner');
  box.hidden = !text;
  fill(box, text && h('p', {}, text), again && h('button', { type: 'button', onclick: again }, 'Try again'), text && h('button', { type: 'button', class: 'quiet', onclick: () => banner('') }, 'Close'));
}

views = {
  verdicts: (page.verdicts = new Verdicts(page)),
  crawlers: new Crawlers(page),
  usage: new Usage(page),
  compare: new Compare(page),
  write: new Write(page),
  load: new Load(page),
};

$('load').hidden = !canLoad;
$('without').hidden = canLoad;
rove(document.querySelector('.tabs'), '[role=tab]');
for (const one of TABS) {
  $(`tab-${one}`).addEventListener('click', () => choose(one));
  $(`tab-${one}`).addEventListener('focus', () => tab !== one && choose(one));
}
$('dialect').addEventListener('change', refresh);
$('clear').addEventListener('click', () => {
  page.editor.set('');
  page.editor.focus();
});
$('back').addEventListener('click', () => {
  page.editor.goBack();
  page.editor.focus();
});
$('share').addEventListener('click', share);
$('findings-title').tabIndex = -1;
window.addEventListener('hashchange', follow);

let isReached = true;
onReach((isThere) => {
  if (isThere === isReached) return;
  isReached = isThere;
  banner(
    isThere ? '' : 'The service does not answer. It may have been stopped; your text is kept in this tab.',
    () => {
      meet();
      list.ask(page.robots);
    },
  );
});
onTokenWanted(() => {
  if (!$('token-dialog').open) $('token-dialog').showModal();
});
$('token-form').addEventListener('submit', () => {
  keepToken($('token').value.trim());
  $('token').value = '';
  meet();
  list.ask(page.robots);
});

if (!(await follow())) restore(example);
meet();
