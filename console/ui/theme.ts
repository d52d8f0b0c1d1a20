/**
 * The theme and the density that the user has chosen, before anything is drawn: this runs as the
 * head is read, which a module would not. Without a choice the theme is that of the system.
 */
{
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const root = document.documentElement;
    const chosen = localStorage.getItem('theme');
    root.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
    root.dataset.density = localStorage.getItem('density') ?? 'normal';
    document.dispatchEvent(new Event('looks'));
  };
  apply();
  dark.addEventListener('change', apply);
  // Chosen in another tab, or in this one (`looks.js`).
  window.addEventListener('storage', apply);
  document.addEventListener('looks-chosen', apply);
}
