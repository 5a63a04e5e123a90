// Words for what the service says, and for what is asked of it.

/** Returns whether a crawler was given by its whole header. */
export const isHeader = (name) => /[/();]/.test(name);

/** Returns the part of a question that says who asks. */
export const whoOf = (agents) => ({ agents: agents.filter((name) => !isHeader(name)), user_agents: agents.filter(isHeader) });

/** Returns the lines of a text that say something. */
export const linesOf = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);

/** Returns a verdict in a word, with its class. */
export function wordOf(row) {
  if (row.error) return { word: 'No answer', mark: '?', kind: 'unknown' };
  if (row.verdict?.startsWith('allowed')) return { word: 'Allowed', mark: '✓', kind: 'allowed' };
  if (row.verdict?.startsWith('disallowed')) return { word: 'Disallowed', mark: '✕', kind: 'disallowed' };
  return { word: 'Unknown', mark: '?', kind: 'unknown' };
}

const titles = {};

/** Keeps what the service calls purposes. */
export const learnTitles = (more) => Object.assign(titles, more);

/** Returns a purpose as people say it: `AI search`. */
export const titleOf = (purpose) => (purpose ? (titles[purpose] ?? purpose) : 'In no catalogue');

/** Returns a rule as the file has it. */
export const ruleText = (rule) => `${rule.kind === 'allow' ? 'Allow' : 'Disallow'}: ${rule.pattern}`;
