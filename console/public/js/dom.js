/** Makes an element; text is always text, never markup. */
export function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const $ = (selector) => document.querySelector(selector);

export function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function timeText(iso) {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : time.toLocaleString();
}

/** Shows a dialog. @returns what was entered by name, or null when it was closed */
export function ask(title, nodes, okText) {
  const dialog = $('#dialog');
  $('#dialog-title').textContent = title;
  $('#dialog-body').replaceChildren(...nodes);
  $('#dialog-ok').hidden = okText === undefined;
  $('#dialog-ok').textContent = okText ?? '';
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => {
        const given = Object.fromEntries(new FormData(dialog.querySelector('form')));
        resolve(dialog.returnValue === 'ok' ? given : null);
      },
      { once: true },
    );
    dialog.returnValue = '';
    dialog.showModal();
    // Enter in a field means yes, and the first button of a form is what Enter presses.
    dialog.querySelector('form').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.target.tagName !== 'INPUT') return;
      event.preventDefault();
      dialog.close('ok');
    };
  });
}
