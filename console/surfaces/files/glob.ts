/**
 * `*` for any characters, `?` for one; all else stands for itself. Goes back to the last `*` alone,
 * so that no pattern takes longer than its length times that of the text.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let p = 0;
    let t = 0;
    let star = -1;
    let resume = 0;
    while (t < text.length) {
      if (pattern[p] === '*') {
        star = p++;
        resume = t;
      } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
        p += 1;
        t += 1;
      } else if (star !== -1) {
        p = star + 1;
        t = ++resume;
      } else return false;
    }
    while (pattern[p] === '*') p += 1;
    return p === pattern.length;
  };
}
