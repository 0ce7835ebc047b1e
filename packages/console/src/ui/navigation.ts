import { type RefObject, useEffect, useRef } from 'react';

/** On a phone, the entry of this page may be beyond the edge of the navigation. */
export function useEntryInView(pathname: string): RefObject<HTMLElement | null> {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (pathname)
      bar.current
        ?.querySelector('[data-status=active]')
        ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return bar;
}
