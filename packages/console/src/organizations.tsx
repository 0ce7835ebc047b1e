import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import DataLoader from 'dataloader';
import { useEffect, useId, useState } from 'react';
import { read, type Schemas } from './api.ts';
import { Typed } from './filterBar.tsx';
import { text } from './strings.ts';

type Page = Schemas['OrganizationPage'];

const perPage = 100;
const staleAfterMs = 60_000;

/** All names that a page shows are read at once. Null: no organization has the id. */
const names = new DataLoader<string, string | null>(
  async (ids) => {
    const { data } = await read<Page>('/organizations', { ids: ids.join(','), limit: perPage });
    return ids.map((wanted) => data.find(({ id }) => id === wanted)?.name ?? null);
  },
  { cache: false, maxBatchSize: perPage },
);

const shortened = (id: string) => `${id.slice(0, 12)}…${id.slice(-6)}`;

export function OrganizationLink({ id }: { id: string }) {
  const { data: name } = useQuery({
    queryKey: ['organization name', id],
    queryFn: () => names.load(id),
    staleTime: staleAfterMs,
  });
  return (
    <Link
      to="/organizations/$id"
      params={{ id }}
      title={id}
      className="line-clamp-2 underline decoration-line"
    >
      {name ?? <span className="whitespace-nowrap font-mono text-xs">{shortened(id)}</span>}
    </Link>
  );
}

const isName = (typed: string) => typed !== '' && !typed.startsWith('org_');

/** The organization with this name, or the only one with this in a longer name; otherwise what was typed. */
async function idOf(typed: string): Promise<string> {
  const { data } = await read<Page>('/organizations', { text: typed, limit: perPage });
  const lower = typed.toLowerCase();
  const found =
    data.find(({ name }) => name === typed) ??
    data.find(({ name }) => name.toLowerCase() === lower) ??
    (data.length === 1 ? data[0] : undefined);
  return found?.id ?? typed;
}

/** A filter by id, for which the browser suggests the newest by name. */
export function OrganizationFilter(props: { value: string | undefined; onChange: (id: string) => void }) {
  const { value, onChange } = props;
  const { data: newest } = useQuery({
    queryKey: ['organizations', 'newest'],
    queryFn: () => read<Page>('/organizations', { limit: perPage }),
    staleTime: staleAfterMs,
  });
  const [typed, setTyped] = useState('');
  const { data: found } = useQuery({
    queryKey: ['organization named', typed],
    queryFn: () => idOf(typed),
    enabled: isName(typed),
  });
  useEffect(() => {
    if (!isName(typed) || found === undefined) return;
    setTyped('');
    onChange(found);
  }, [typed, found, onChange]);
  const list = useId();
  return (
    <>
      <Typed
        label={text.list.organization}
        placeholder={text.list.organizationHint}
        list={list}
        value={value}
        onChange={(entered) => {
          setTyped(entered);
          if (!isName(entered)) onChange(entered);
        }}
      />
      <datalist id={list}>
        {newest?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
