import { createContext, useContext } from 'react';
import type { Schemas } from '../api.ts';

/** What the operator named this installation; null: nothing, as in the portal. */
export const Environment = createContext<Schemas['Environment'] | null>(null);

const fills = {
  red: 'bg-bad',
  amber: 'bg-busy',
  green: 'bg-good',
  blue: 'bg-blue',
  grey: 'bg-soft',
} as const;

/** The name of the environment, where operators look before they change something. */
export function EnvironmentName({ isWide = false }: { isWide?: boolean }) {
  const environment = useContext(Environment);
  if (environment === null) return null;
  const { name, color } = environment;
  return (
    <span
      className={`truncate rounded px-2 py-0.5 font-semibold text-on-fill text-xs ${fills[color]} ${isWide ? 'lg:mt-2 lg:block lg:text-center' : ''}`}
    >
      {name}
    </span>
  );
}
