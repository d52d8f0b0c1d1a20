import { el, svg } from './dom.js';

const SPRITE = new URL('icons.svg', import.meta.url).href;

/**
 * An icon of the sprite `icons.svg`, which `ops/dev/icons.mjs` makes. It says nothing to screen
 * readers: what it stands for is in words beside it, or in the label of its button.
 *
 * @param name as lucide calls it, such as `folder`
 */
export function icon(name: string) {
  const image = svg('svg', { class: 'icon', 'aria-hidden': 'true', viewBox: '0 0 24 24' });
  image.append(svg('use', { href: `${SPRITE}#${name}` }));
  return image;
}

/**
 * A button that is an icon alone.
 *
 * @param name of the icon
 * @param label what it does, for screen readers and as a tooltip
 */
export function iconButton(name: string, label: string, work: (event: MouseEvent) => unknown) {
  const look = { className: 'plain icon-only', title: label };
  const button = el('button', { type: 'button', ...look, onclick: work }, icon(name));
  button.setAttribute('aria-label', label);
  return button;
}
