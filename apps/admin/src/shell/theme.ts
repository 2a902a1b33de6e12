/**
 * Light or dark, by default the system's. Stored in a cookie, so that the first server-rendered
 * page is right.
 */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_COOKIE = 'tollgate_console_theme';
const YEAR_SECONDS = 31_536_000;

export function themeOf(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? 'system';
}

/** The theme that the page shows now, also where the system chooses. */
export function shownTheme(): 'light' | 'dark' {
  const chosen = themeOf(document.documentElement.dataset['theme']);
  if (chosen !== 'system') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Applies and stores the theme in the browser. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
}
