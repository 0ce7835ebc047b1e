import type { ReactNode } from 'react';

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
