/** What users choose of the looks; `theme.js` applies it. Charts are drawn again on `looks`. */

/** @typedef {'system' | 'light' | 'dark'} Theme */

/** @type {readonly Theme[]} */
const THEMES = ['system', 'light', 'dark'];

/** @returns {Theme} */
export function theme() {
  const chosen = localStorage.getItem('theme');
  return THEMES.find((one) => one === chosen) ?? 'system';
}

/** @param {Theme} chosen */
export function setTheme(chosen) {
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

/** @param {boolean} compact */
export function setCompact(compact) {
  localStorage.setItem('density', compact ? 'compact' : 'normal');
  document.dispatchEvent(new Event('looks-chosen'));
}

/**
 * @param {() => void} redraw called when the theme or the density is another one
 * @returns {() => void} ends that
 */
export function onLooks(redraw) {
  document.addEventListener('looks', redraw);
  return () => document.removeEventListener('looks', redraw);
}
