/** The looks that users choose; `theme.js` applies them. Charts are drawn again on `looks`. */

type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function theme(): Theme {
  const chosen = localStorage.getItem('theme');
  return THEMES.find((one) => one === chosen) ?? 'system';
}

export function setTheme(chosen: Theme) {
  if (chosen === 'system') localStorage.removeItem('theme');
  else localStorage.setItem('theme', chosen);
  document.dispatchEvent(new Event('looks-chosen'));
}

/** The next one of system, light, dark. */
export function nextTheme() {
  return THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? 'system';
}

export function isCompact() {
  return localStorage.getItem('density') === 'compact';
}

export function setCompact(compact: boolean) {
  localStorage.setItem('density', compact ? 'compact' : 'normal');
  document.dispatchEvent(new Event('looks-chosen'));
}

/**
 * @param redraw called when the theme or the density is another one
 * @returns ends that
 */
export function onLooks(redraw: () => void): () => void {
  document.addEventListener('looks', redraw);
  return () => document.removeEventListener('looks', redraw);
}
