import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

// What axe finds on a page, in light and dark, and whether the page is wider than a phone. The page
// needs axe's own script (`addInitScript`).

export const THEMES = ['light', 'dark'] as const;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_280, height: 900 };
const WIDE_DESK = { width: 1_440, height: 900 };
/** Folder for screenshots of every page; unset: none are taken. */
const PICTURES = process.env['SCREENSHOTS'];

/** Tables whose last shown column is not as far from its edge as the first one. */
const UNEVEN_TABLES = `[...document.querySelectorAll('table')].flatMap((table) => {
  const uneven = [...table.rows].some((row) => {
    const cells = [...row.cells].filter((cell) => cell.offsetWidth > 0);
    if (cells.length === 0) return false;
    const { paddingLeft } = getComputedStyle(cells.at(0));
    return paddingLeft !== getComputedStyle(cells.at(-1)).paddingRight;
  });
  return uneven ? ['the columns of “' + table.caption.textContent + '” are off centre'] : [];
})`;

type Violations = AxeResults['violations'];

/**
 * The findings of axe, in every theme because colours depend on it, and then the page's width on
 * a phone.
 */
export async function complaintsOf(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  // A colour in transition between themes belongs to neither.
  await page.evaluate(`
    {
      const still = new CSSStyleSheet();
      still.replaceSync('*, ::before, ::after { transition-property: none !important }');
      document.adoptedStyleSheets = [still];
    }
  `);
  for (const theme of THEMES) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
    );
    const only = theme === 'light' ? '' : ", runOnly: ['color-contrast']";
    const violations = await page.evaluate<Violations>(
      `axe.run(document, { resultTypes: ['violations']${only} }).then((found) => found.violations)`,
    );
    found.push(...violations.flatMap((violation) => shown(where, theme, violation)));
    if (PICTURES !== undefined) await picture(page, PICTURES, `${where}-${theme}`);
  }
  await page.setViewportSize(PHONE);
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (over > 0) found.push(`${where}: ${String(over)} px wider than a phone`);
  const tables = await page.evaluate<string[]>(UNEVEN_TABLES);
  found.push(...tables.map((table) => `${where}: ${table}`));
  await page.setViewportSize(DESK);
  return found;
}

async function picture(page: Page, folder: string, name: string): Promise<void> {
  for (const size of [WIDE_DESK, PHONE]) {
    await page.setViewportSize(size);
    const file = `${name}-${String(size.width)}`.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '');
    await page.screenshot({ path: join(folder, `${file}.png`) });
  }
  await page.setViewportSize(DESK);
}

/** One line per element with a serious or critical violation. */
function shown(where: string, theme: string, { id, impact, nodes }: Violations[number]): string[] {
  if (impact !== 'serious' && impact !== 'critical') return [];
  return nodes.map(({ html, any, failureSummary }) => {
    const why = any[0]?.message ?? failureSummary ?? '';
    return `${where} (${theme}) ${id}: ${html.slice(0, 200)} ${why}`;
  });
}
