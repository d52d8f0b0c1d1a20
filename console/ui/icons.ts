const SVG = 'http://www.w3.org/2000/svg';
const SPRITE = new URL('icons.svg', import.meta.url).href;

/**
 * An icon of the sprite `icons.svg`, which `ops/dev/icons.mjs` makes. It says nothing to screen
 * readers: what it stands for is in words beside it, or in the label of its button.
 *
 * @param name as lucide calls it, such as `folder`
 */
export function icon(name: string) {
  const image = document.createElementNS(SVG, 'svg');
  image.setAttribute('class', 'icon');
  image.setAttribute('aria-hidden', 'true');
  image.setAttribute('viewBox', '0 0 24 24');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `${SPRITE}#${name}`);
  image.append(use);
  return image;
}

/**
 * A button that is an icon alone.
 *
 * @param name of the icon
 * @param label what it does, for screen readers and as a tooltip
 */
export function iconButton(name: string, label: string, work: (event: MouseEvent) => unknown) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain icon-only';
  button.title = label;
  button.setAttribute('aria-label', label);
  button.append(icon(name));
  button.onclick = work;
  return button;
}
