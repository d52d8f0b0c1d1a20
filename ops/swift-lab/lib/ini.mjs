/**
 * Renders a configuration file as Swift and rsync read it.
 *
 * @param {Record<string, Record<string, string | number | boolean>>} sections by name; the section
 *   `''` holds what stands before the first
 */
export function ini(sections) {
  return Object.entries(sections)
    .map(([name, options]) => {
      const lines = Object.entries(options).map(([option, value]) => `${option} = ${value}`);
      return [...(name === '' ? [] : [`[${name}]`]), ...lines, ''].join('\n');
    })
    .join('\n');
}
