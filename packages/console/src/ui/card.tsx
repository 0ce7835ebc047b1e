import type { ReactNode } from 'react';

/** Without `children`, its one line says why in `aside`. */
export function Card({
  title,
  aside,
  children,
}: {
  title: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-card">
      <header className="flex flex-wrap items-center justify-between gap-2 border-line px-4 py-2.5 not-last:border-b">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </header>
      {children && <div className="p-4">{children}</div>}
    </section>
  );
}

export const tileLook = 'block h-full rounded-lg border border-line bg-card px-4 py-3 hover:bg-hover';

/** A number that people look for, in a link with `tileLook` to what it counts. */
export function Tile(props: { name: string; value: string; aside?: string | null; isBad?: boolean }) {
  const { name, value, aside = null, isBad = false } = props;
  return (
    <>
      <span className="block text-soft text-xs">{name}</span>
      <span className={`block font-semibold text-2xl tabular-nums ${isBad ? 'text-bad' : ''}`}>{value}</span>
      <span className="block min-h-4 text-soft text-xs">{aside}</span>
    </>
  );
}
