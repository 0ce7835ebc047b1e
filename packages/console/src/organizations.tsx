import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import DataLoader from 'dataloader';
import { useId } from 'react';
import { read, type Schemas } from './api.ts';
import { Typed } from './filterBar.tsx';
import { text } from './strings.ts';

type Page = Schemas['OrganizationPage'];

const perPage = 100;
const staleAfterMs = 60_000;

/** All names that a page shows are read at once. Null: no organization has the id. */
const names = new DataLoader<string, string | null>(
  async (ids) => {
    const query = { ids: ids.join(','), test: 'true', limit: perPage };
    const { data } = await read<Page>('/organizations', query);
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

/** The organization with this id or name, or the only one with a name that contains this; otherwise what was typed. */
async function idOf(typed: string): Promise<string> {
  if (typed === '') return typed;
  const { data } = await read<Page>('/organizations', { text: typed, test: 'true', limit: perPage });
  const lower = typed.toLowerCase();
  const found =
    data.find(({ id, name }) => id === typed || name === typed) ??
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
  const list = useId();
  return (
    <>
      <Typed
        label={text.list.organization}
        placeholder={text.list.organizationHint}
        list={list}
        value={value}
        onChange={(typed) => void idOf(typed).then(onChange, () => onChange(typed))}
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
