import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useId, useState } from 'react';
import { Typed } from './filterBar.tsx';
import { Problem } from './parts.tsx';
import { text } from './strings.ts';

export type Named = { id: string; name: string };

const shownChoices = 10;

/** The one with this name, or the only one that was found; null: it is not clear which one is meant. */
function meant(found: Named[], typed: string): Named | null {
  const lower = typed.toLowerCase();
  const [only, ...others] = found;
  return (
    found.find(({ name }) => name === typed) ??
    found.find(({ name }) => name.toLowerCase() === lower) ??
    (only && others.length === 0 ? only : null)
  );
}

/** A filter by id. Its field also takes names, and shows the name of the chosen one. */
export function NamedFilter(props: {
  label: string;
  placeholder: string;
  prefix: 'org' | 'wh';
  value: string | undefined;
  /** Null or undefined: it is not known (yet). */
  name: string | null | undefined;
  suggested?: Named[];
  find: (typed: string) => Promise<Named[]>;
  none: (typed: string) => string;
  onChange: (id: string) => void;
}) {
  const { label, placeholder, prefix, value, name, suggested = [], find, none, onChange } = props;
  const [typed, setTyped] = useState('');
  const { data: found, error } = useQuery({
    queryKey: [prefix, 'named', typed],
    queryFn: () => find(typed),
    enabled: typed !== '',
  });
  const one = found && meant(found, typed);
  useEffect(() => {
    if (!one) return;
    setTyped('');
    onChange(one.id);
  }, [one, onChange]);
  const enter = (entered: string) => {
    const isDone = entered === '' || new RegExp(`^${prefix}_[0-9a-f-]{36}$`).test(entered);
    setTyped(isDone ? '' : entered);
    if (isDone) onChange(entered);
  };
  const list = useId();
  const choose = (id: string) => (event: MouseEvent<HTMLButtonElement>) => {
    event.currentTarget.form?.querySelector<HTMLElement>(`[list="${list}"]`)?.focus();
    enter(id);
  };
  return (
    <>
      <Typed label={label} placeholder={placeholder} list={list} value={name ?? value} onChange={enter} />
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </datalist>
      <div role="status" className="order-last col-span-full empty:hidden">
        {error && <Problem error={error} />}
        {found?.length === 0 && <p className="text-bad">{none(typed)}</p>}
        {found && found.length > 1 && !one && (
          <>
            <p>{text.list.several(typed)}</p>
            <ul className="flex flex-wrap gap-x-4">
              {found.slice(0, shownChoices).map(({ id, name: choice }) => (
                <li key={id}>
                  <button
                    type="button"
                    onClick={choose(id)}
                    title={id}
                    className="line-clamp-2 break-all text-left underline"
                  >
                    {choice}
                  </button>
                </li>
              ))}
              {found.length > shownChoices && <li className="text-soft">{text.list.evenMore}</li>}
            </ul>
          </>
        )}
      </div>
    </>
  );
}
