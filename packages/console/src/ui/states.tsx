import type { ReactNode } from 'react';
import { isNotFound, LostError } from '../api.ts';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { Heading } from './heading.tsx';

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
