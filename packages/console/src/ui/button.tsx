import { type ReactNode, useState } from 'react';
import { text } from '../strings/shared.ts';

const tones = {
  quiet: 'border-transparent text-soft font-normal hover:bg-hover',
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
  isExpanded?: boolean;
}) {
  const { children, onClick, tone = 'plain', type = 'button', disabled = false, title, isExpanded } = props;
  const look = `rounded-md border px-3 py-1.5 font-medium whitespace-nowrap ${tones[tone]}`;
  return (
    <button
      type={type}
      onClick={onClick}
      disabled={disabled}
      title={title}
      aria-expanded={isExpanded}
      className={`${look} disabled:cursor-not-allowed disabled:opacity-50`}
    >
      {children}
    </button>
  );
}

/** Looks like a button, leads to a page. */
export const linkLook =
  'rounded-md border border-line bg-card px-3 py-1.5 font-medium whitespace-nowrap hover:bg-hover';

/** Browsers offer the clipboard on https and loopback only. */
export const canCopy = () => window.isSecureContext;

function useCopy(value: string) {
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
  return { result, copy: () => void copy() };
}

export function Copy({ value, label = text.copy }: { value: string; label?: string }) {
  const { result, copy } = useCopy(value);
  return <Button onClick={copy}>{result ?? label}</Button>;
}

/** Beside a shortened value in a list. */
export function CopyIcon({ value }: { value: string }) {
  const { result, copy } = useCopy(value);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`${result ?? text.copy} ${value}`}
      title={result ?? text.copy}
      className="rounded p-0.5 text-soft hover:bg-hover hover:text-ink"
    >
      <svg viewBox="0 0 16 16" aria-hidden="true" className="size-3.5 fill-none stroke-current stroke-[1.5]">
        {result === null ? <path d="M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2" /> : <path d="M3 8.5l3 3 7-7" />}
      </svg>
    </button>
  );
}
