import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import { locale } from '../strings/locale.ts';
import { text } from '../strings/shared.ts';
import { CopyIcon, canCopy } from './button.tsx';
import { ago, amountText, changeText } from './format.ts';
import { shortened } from './named.ts';

/** Names with what they stand for. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="flex flex-wrap gap-3">
      {of.map(([name, value]) => (
        // Wider than its share if an amount needs it: amounts do not wrap.
        <div
          key={name}
          className="max-w-full shrink-0 basis-[calc(50%-0.75rem)] sm:basis-[calc(25%-0.75rem)]"
        >
          <dt className="text-soft text-xs">{name}</dt>
          <dd className="break-words text-base">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const statusLook: Record<string, string> = {
  COMPLETED: 'text-good',
  delivered: 'text-good',
  active: 'text-good',
  closed: 'text-good',
  failing: 'text-bad',
  deactivated: 'text-bad',
  offered: 'text-good',
  'not offered': 'text-soft',
  FAILED: 'text-bad',
  EXPIRED: 'text-bad',
  failed: 'text-bad',
  expired: 'text-bad',
  inactive: 'text-bad',
  revoked: 'text-soft',
  CANCELLED: 'text-soft',
  completed: 'text-good',
  cancelled: 'text-soft',
};

/** A name such as `AWAITING_WEBHOOK`, which breaks between its words where it has to. */
export function Words({ of }: { of: string }) {
  return of.split(/(?<=_)/).map((word, index) => (
    <Fragment key={`${index} ${word}`}>
      {word}
      <wbr />
    </Fragment>
  ));
}

/** A state or status in words; as it is if the language has none for it. */
export const stateText = (state: string): string =>
  (text.states as Readonly<Record<string, string>>)[state] ?? state;

export function Status({
  of,
  look = statusLook[of] ?? 'text-busy',
}: {
  of: string;
  look?: string | undefined;
}) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium text-xs ${look}`}>
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-current" />
      <span>
        <Words of={stateText(of)} />
      </span>
    </span>
  );
}

const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

/** In the viewer's zone; UTC on hover. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="text-soft">–</span>;
  return (
    <time
      dateTime={at}
      title={at.replace('T', ' ').replace('Z', ' UTC')}
      className="whitespace-nowrap tabular-nums"
    >
      {local.format(new Date(at))}
    </time>
  );
}

const tickMs = 10_000;
let ticked = Date.now();

function onTick(listen: () => void): () => void {
  const timer = setInterval(() => {
    ticked = Date.now();
    listen();
  }, tickMs);
  return () => clearInterval(timer);
}

/** How long ago that was, for lists; the time itself on hover. */
export function Ago({ at }: { at: string }) {
  const now = useSyncExternalStore(onTick, () => ticked);
  const then = new Date(at);
  return (
    <time dateTime={at} title={local.format(then)} className="whitespace-nowrap tabular-nums">
      {ago(then, now)}
    </time>
  );
}

/** The exact amount: never rounded. */
export function Money({ of }: { of: string | null | undefined }) {
  if (of === null || of === undefined) return <span className="text-soft">–</span>;
  return <span className="whitespace-nowrap font-mono tabular-nums">{amountText(of)}</span>;
}

/** The change, and the amount after it: both as the journal has them. */
export function Change({ by, to }: { by: string; to: string }) {
  const written = changeText(by);
  return (
    <>
      <Money of={to} />
      {written && <span className="block text-soft">{written}</span>}
    </>
  );
}

export function Id({ of }: { of: string }) {
  return <span className="break-all font-mono text-xs">{of}</span>;
}

/** Short enough for a list; the whole id on hover and by its copy button. */
export function ShortId({ of }: { of: string }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <span title={of} className="font-mono text-xs">
        {shortened(of)}
      </span>
      {canCopy() && <CopyIcon value={of} />}
    </span>
  );
}

export const codeLook =
  'max-h-96 overflow-auto rounded-md bg-hover p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere';

/** Text of any size in a scrolling box; never HTML. */
export function Code({ of, label }: { of: string; label: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className={codeLook}>
        {of}
      </pre>
    </section>
  );
}

export function Json({ of, label }: { of: unknown; label: string }) {
  return <Code of={JSON.stringify(of, null, 2)} label={label} />;
}
