import { type RefObject, useEffect } from 'react';

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

/** `/` goes to the search field. */
export function useSearchKey(box: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      box.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [box]);
}

/** `j` and `k` move between the links with `data-row`; Enter opens one, as links do. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || isTyping(event) || event.ctrlKey || event.metaKey) return;
      const links = [...(list.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [list]);
}
