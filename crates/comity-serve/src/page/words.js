// Conversion of answers to words for users, and of inputs to fields of requests.

/** Returns true if the name of a crawler is a whole User-Agent header, not a product token. */
export const isHeader = (name) => /[/();]/.test(name);

/** Returns the fields of a request for crawlers. */
export const whoOf = (agents) => ({ agents: agents.filter((name) => !isHeader(name)), user_agents: agents.filter(isHeader) });

/** Returns the lines of a text that are not empty. */
export const linesOf = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);

/** Returns the word, the symbol and the CSS class for the verdict of a row. */
export function wordOf(row) {
  if (row.error) return { word: 'No answer', mark: '?', kind: 'unknown' };
  if (row.verdict?.startsWith('allowed')) return { word: 'Allowed', mark: '✓', kind: 'allowed' };
  if (row.verdict?.startsWith('disallowed')) return { word: 'Disallowed', mark: '✕', kind: 'disallowed' };
  return { word: 'Unknown', mark: '?', kind: 'unknown' };
}

const titles = {};

/** Stores the titles of purposes. */
export const learnTitles = (more) => Object.assign(titles, more);

/** Returns the title of a purpose: `AI search`. */
export const titleOf = (purpose) => (purpose ? (titles[purpose] ?? purpose) : 'Not in the catalogue');

/** Returns a rule as a line of robots.txt. */
export const ruleText = (rule) => `${rule.kind === 'allow' ? 'Allow' : 'Disallow'}: ${rule.pattern}`;
