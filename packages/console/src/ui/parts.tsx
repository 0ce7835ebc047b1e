import { useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { isNotFound, isSignedOut, LostError } from '../api.ts';
import { text } from '../strings.ts';

const tones = {
  plain: 'border-line bg-card hover:bg-hover',
  primary: 'border-transparent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-line bg-card text-bad hover:bg-hover',
} as const;

export function Button(props: {
  children: ReactNode;
  onClick?: () => void;
  tone?: keyof typeof tones;
  type?: 'button' | 'submit';
  disabled?: boolean;
  title?: string | undefined;
}) {
  const { children, onClick, tone = 'plain', type = 'button', disabled = false, title } = props;
  const look = `rounded-md border px-3 py-1.5 font-medium whitespace-nowrap ${tones[tone]}`;
  return (
    <button
      type={type}
      onClick={onClick}
      disabled={disabled}
      title={title}
      className={`${look} disabled:cursor-not-allowed disabled:opacity-50`}
    >
      {children}
    </button>
  );
}

const product = document.title;

/** The path of the heading that was shown last. Null: none was, so the browser itself loaded the page and begins at its top. */
let shownPath: string | null = null;
let hasNavigated = false;

/** Where the focus goes when its element is gone: browsers would begin at the top of the page again. */
function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

const isFocusLost = () => document.activeElement === document.body;

/** The one heading of a page. Its title also names the page in tabs, bookmarks and the history. */
export function Heading(props: { title: string; children?: ReactNode; className?: string }) {
  const { title, children = title, className = '' } = props;
  useEffect(() => {
    document.title = `${title} · ${product}`;
    const { pathname } = window.location;
    const isOfNewPage = shownPath !== null && pathname !== shownPath;
    shownPath = pathname;
    hasNavigated ||= isOfNewPage;
    // The heading of a page may be replaced once its data is read.
    if (isOfNewPage || (hasNavigated && isFocusLost())) focusHeading();
    return () => {
      document.title = product;
    };
  }, [title]);
  return (
    <h1 tabIndex={-1} className={`font-semibold text-xl outline-none ${className}`}>
      {children}
    </h1>
  );
}

/** Looks like a button, leads to a page. */
export const linkLook =
  'rounded-md border border-line bg-card px-3 py-1.5 font-medium whitespace-nowrap hover:bg-hover';

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

export function Card({
  title,
  aside,
  children,
}: {
  title: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-card">
      <header className="flex flex-wrap items-center justify-between gap-2 border-line border-b px-4 py-2.5">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}

const statusLook: Record<string, string> = {
  COMPLETED: 'text-good',
  delivered: 'text-good',
  active: 'text-good',
  closed: 'text-good',
  failing: 'text-bad',
  deactivated: 'text-bad',
  open: 'text-bad',
  offered: 'text-good',
  'not offered': 'text-soft',
  FAILED: 'text-bad',
  EXPIRED: 'text-bad',
  failed: 'text-bad',
  expired: 'text-bad',
  inactive: 'text-bad',
  revoked: 'text-soft',
  CANCELLED: 'text-soft',
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

export function Status({ of }: { of: string }) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium text-xs ${statusLook[of] ?? 'text-busy'}`}>
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-current" />
      <span>
        <Words of={of} />
      </span>
    </span>
  );
}

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

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

/** The exact amount: never rounded. */
export function Money({ of }: { of: string | null | undefined }) {
  if (of === null || of === undefined) return <span className="text-soft">–</span>;
  return <span className="whitespace-nowrap font-mono tabular-nums">{of}</span>;
}

/** The change, and the amount after it: both as the journal has them. */
export function Change({ by, to }: { by: string; to: string }) {
  const isZero = /^-?0(\.0*)?$/.test(by);
  return (
    <>
      <Money of={to} />
      {!isZero && <span className="block text-soft">{by.startsWith('-') ? by : `+${by}`}</span>}
    </>
  );
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An age in its largest unit: `3 min`. */
export function age(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

/** Pages without events from the server are read again this often, while they are visible. */
export const liveMs = 5000;
/** Sums of many rows are read again this often. */
export const liveSumMs = 30_000;

export function Id({ of }: { of: string }) {
  return <span className="break-all font-mono text-xs">{of}</span>;
}

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

/** Text of any size in a scrolling box; never HTML. */
export function Code({ of, label }: { of: string; label: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md bg-hover p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {of}
      </pre>
    </section>
  );
}

export function Json({ of, label }: { of: unknown; label: string }) {
  return <Code of={JSON.stringify(of, null, 2)} label={label} />;
}

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label={text.loading} className="animate-pulse space-y-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="h-5 rounded bg-hover" />
      ))}
    </div>
  );
}

/** Says what is missing and what to do first; `children` is a link to where that is done. As a page it has the heading. */
export function Empty(props: { title: string; hint?: string; children?: ReactNode; isPage?: boolean }) {
  const { title, hint, children, isPage = false } = props;
  return (
    <div className="px-4 py-10 text-center">
      {isPage ? <Heading title={title} /> : <p className="font-semibold">{title}</p>}
      {hint && <p className="mt-1 text-soft">{hint}</p>}
      {children && <div className="mt-4">{children}</div>}
    </div>
  );
}

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const [title, detail] =
    error instanceof LostError
      ? [message, error.isRepeatable ? text.lostOnce : text.lostUnknown]
      : [text.failed, message];
  return (
    <div role="alert" className="m-4 rounded-md border border-line p-4">
      <p className="font-semibold text-bad">{title}</p>
      <p className="mt-1 text-soft">{detail}</p>
      {onRetry && (
        <div className="mt-3">
          <Button onClick={onRetry}>{text.retry}</Button>
        </div>
      )}
    </div>
  );
}

/** What the page of one thing shows until that is read, or can't be. */
export function UntilRead(props: {
  of: { data: unknown; error: unknown; isPending: boolean; refetch: () => Promise<unknown> };
  title: string;
  rows?: number;
}) {
  const { of, title, rows = 12 } = props;
  return (
    <>
      {!of.data && <Heading title={title} className="break-all" />}
      {of.isPending && <Skeleton rows={rows} />}
      {isNotFound(of.error) && <Empty title={of.error.message} />}
      {of.error !== null && !isNotFound(of.error) && (
        <Problem error={of.error} onRetry={() => void of.refetch()} />
      )}
    </>
  );
}

/** A modal dialog of the browser, which keeps the focus inside and gives it back, if what it was opened from is still there. */
export function Dialog(props: { title: string; isOpen: boolean; onClose: () => void; children: ReactNode }) {
  const { title, isOpen, onClose, children } = props;
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = box.current;
    if (!isOpen || dialog === null) return;
    dialog.showModal();
    return () => {
      dialog.close();
      if (isFocusLost()) focusHeading();
    };
  }, [isOpen]);
  return (
    <dialog
      ref={box}
      aria-labelledby={titleId}
      onClose={onClose}
      className="m-auto w-[calc(100%-2rem)] max-w-md rounded-lg border border-line bg-card p-5 text-ink shadow-xl"
    >
      <h2 id={titleId} className="mb-3 font-semibold text-base">
        {title}
      </h2>
      {isOpen && children}
    </dialog>
  );
}

export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="block">
      <span className="mb-1 block text-soft text-xs">{label}</span>
      {children}
    </label>
  );
}

export const inputLook =
  'min-h-9 w-full rounded-md border border-line bg-card px-2.5 py-1.5 text-ink placeholder:text-soft';

/** Browsers offer the clipboard on https and loopback only. */
export const canCopy = () => window.isSecureContext;

export function Copy({ value, label = text.copy }: { value: string; label?: string }) {
  const [result, setResult] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setResult(text.copied);
      setTimeout(() => setResult(null), 1500);
    } catch {
      // Browsers block it in a frame without `allow="clipboard-write"`.
      setResult(text.copyBlocked);
    }
  };
  return <Button onClick={() => void copy()}>{result ?? label}</Button>;
}

/** A dialog that closes once its change was made, and otherwise shows why not. */
export function useChangeDialog() {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const client = useQueryClient();
  return {
    isOpen,
    isBusy,
    error,
    /** Without the failure of last time. */
    open() {
      setError(null);
      setOpen(true);
    },
    close: () => setOpen(false),
    async run(change: () => Promise<unknown>): Promise<void> {
      setBusy(true);
      setError(null);
      try {
        await change();
        setOpen(false);
      } catch (reason) {
        setError(reason);
        // The page may read nothing by itself that would find this out.
        if (isSignedOut(reason)) void client.invalidateQueries({ queryKey: ['session'] });
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Ends the session and then leaves; `error` says why it is still open. */
export function useEndSession(end: () => Promise<unknown>, leave: () => void) {
  const [error, setError] = useState<unknown>(null);
  const endSession = async () => {
    setError(null);
    try {
      await end();
    } catch (reason) {
      if (!isSignedOut(reason)) return setError(reason);
    }
    leave();
  };
  return { error, signOut: () => void endSession() };
}

/** A button that opens a dialog of `useChangeDialog`. */
export function DialogButton(props: {
  label: string;
  tone: 'plain' | 'primary' | 'danger';
  disabledBecause: string | null;
  dialog: ReturnType<typeof useChangeDialog>;
  children: ReactNode;
}) {
  const { label, tone, disabledBecause, dialog, children } = props;
  return (
    <>
      <Button
        tone={tone}
        disabled={disabledBecause !== null}
        title={disabledBecause ?? undefined}
        onClick={dialog.open}
      >
        {label}
      </Button>
      <Dialog title={label} isOpen={dialog.isOpen} onClose={dialog.close}>
        {children}
      </Dialog>
    </>
  );
}

/** Asks before it acts; shows why it failed. */
export function Confirmed(props: {
  label: string;
  question: string;
  tone?: 'plain' | 'danger';
  disabledBecause?: string | null;
  act: () => Promise<unknown>;
}) {
  const { label, question, tone = 'plain', disabledBecause = null, act } = props;
  const dialog = useChangeDialog();
  const { isBusy, error, close, run } = dialog;
  return (
    <DialogButton label={label} tone={tone} disabledBecause={disabledBecause} dialog={dialog}>
      <p>{question}</p>
      {error !== null && <Problem error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>{text.close}</Button>
        <Button
          tone={tone === 'danger' ? 'danger' : 'primary'}
          disabled={isBusy}
          onClick={() => void run(act)}
        >
          {text.confirm}
        </Button>
      </div>
    </DialogButton>
  );
}
