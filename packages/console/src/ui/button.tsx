import { type ReactNode, useState } from 'react';
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

/** Looks like a button, leads to a page. */
export const linkLook =
  'rounded-md border border-line bg-card px-3 py-1.5 font-medium whitespace-nowrap hover:bg-hover';

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
