import { lazy, Suspense, useEffect, useState } from 'react';
import { text } from '../../strings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isTyping } from '../../ui/lists.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const Keys = lazy(async () => ({ default: (await import('./palette.tsx')).Keys }));

type Shown = 'find' | 'keys' | null;

/** The button and the keys, ⌘K or Ctrl+K and `?`, that open what finds everything and what names the keys. */
export function Shortcuts({ pages }: { pages: readonly (readonly [to: string, name: string])[] }) {
  const [shown, setShown] = useState<Shown>(null);
  const close = () => setShown(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      const isKeys = event.key === '?' && !isTyping(event);
      if (!(isFind || isKeys) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setShown(isFind ? 'find' : 'keys');
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        onClick={() => setShown('find')}
        className="flex items-center justify-between gap-3 rounded-md border border-line px-2.5 py-1.5 text-soft hover:bg-hover lg:mt-3 lg:w-full"
      >
        {text.find.open}
        <kbd className="hidden font-sans text-xs lg:inline">
          {/Mac/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      <Dialog title={text.find.title} isOpen={shown === 'find'} onClose={close}>
        <Suspense>
          <Palette pages={pages} onClose={close} />
        </Suspense>
      </Dialog>
      <Dialog title={text.find.keysTitle} isOpen={shown === 'keys'} onClose={close}>
        <Suspense>
          <Keys />
        </Suspense>
      </Dialog>
    </>
  );
}
