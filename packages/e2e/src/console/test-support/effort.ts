import type { BrowserContext, Page } from 'playwright-core';

// What a task costs a user: trusted clicks, and fields that were typed into. The page itself counts,
// so that a test cannot forget a click.

/** Counts across navigations, in the tab's own storage. */
const COUNTER = `
  {
    const NAME = 'effort';
    const empty = { clicks: [], fields: [] };
    const read = () => JSON.parse(sessionStorage.getItem(NAME) ?? JSON.stringify(empty));
    const add = (list, text) => {
      const effort = read();
      effort[list].push(text);
      sessionStorage.setItem(NAME, JSON.stringify(effort));
    };
    const wordsOf = (element) => (element.labels?.[0] ?? element).textContent.trim().slice(0, 60);
    addEventListener('click', (event) => {
      const { target } = event;
      if (event.isTrusted) add('clicks', wordsOf(target.closest('a, button, input') ?? target));
    }, true);
    addEventListener('input', ({ target }) => {
      if (!target.matches('input:not([type=checkbox], [type=radio]), textarea')) return;
      const field = wordsOf(target);
      if (!read().fields.includes(field)) add('fields', field);
    }, true);
  }
`;

export interface Effort {
  readonly clicks: readonly string[];
  readonly fields: readonly string[];
}

export const countEffort = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript({ content: COUNTER });

/** What was clicked and typed into since the last call. */
export async function effortOf(page: Page): Promise<Effort> {
  return page.evaluate<Effort>(`
    (() => {
      const text = sessionStorage.getItem('effort') ?? '{"clicks":[],"fields":[]}';
      sessionStorage.removeItem('effort');
      return JSON.parse(text);
    })()
  `);
}
