const SVG = 'http://www.w3.org/2000/svg';

/**
 * An icon of the sprite `/icons.svg`, which `ops/dev/icons.mjs` makes. It says nothing to screen
 * readers: what it stands for is in words beside it, or in the label of its button.
 *
 * @param {string} name as lucide calls it, such as `folder`
 */
export function icon(name) {
  const image = document.createElementNS(SVG, 'svg');
  image.setAttribute('class', 'icon');
  image.setAttribute('aria-hidden', 'true');
  image.setAttribute('viewBox', '0 0 24 24');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `/icons.svg#${name}`);
  image.append(use);
  return image;
}

/**
 * A button that is an icon alone.
 *
 * @param {string} name of the icon
 * @param {string} label what it does, for screen readers and as a tooltip
 * @param {(event: MouseEvent) => unknown} work
 */
export function iconButton(name, label, work) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain icon-only';
  button.title = label;
  button.setAttribute('aria-label', label);
  button.append(icon(name));
  button.onclick = work;
  return button;
}
