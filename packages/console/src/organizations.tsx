import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import DataLoader from 'dataloader';
import { read, type Schemas } from './api.ts';
import { type Named, NamedFilter } from './namedFilter.tsx';
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

function useName(id: string | undefined): string | null | undefined {
  const { data } = useQuery({
    queryKey: ['organization name', id],
    queryFn: () => names.load(id ?? ''),
    enabled: id !== undefined,
    staleTime: staleAfterMs,
  });
  return data;
}

export function OrganizationLink({ id }: { id: string }) {
  const name = useName(id);
  return (
    <Link
      to="/organizations/$id"
      params={{ id }}
      title={id}
      className="line-clamp-2 underline decoration-soft"
    >
      {name ?? <span className="whitespace-nowrap font-mono text-xs">{shortened(id)}</span>}
    </Link>
  );
}

async function find(typed: string): Promise<Named[]> {
  return (await read<Page>('/organizations', { text: typed, limit: perPage })).data;
}

/** For its filter, the browser suggests the newest ones. */
export function OrganizationFilter(props: { value: string | undefined; onChange: (id: string) => void }) {
  const { value, onChange } = props;
  const { data: newest } = useQuery({
    queryKey: ['organizations', 'newest'],
    queryFn: () => read<Page>('/organizations', { limit: perPage }),
    staleTime: staleAfterMs,
  });
  return (
    <NamedFilter
      label={text.list.organization}
      placeholder={text.list.organizationHint}
      prefix="org"
      value={value}
      name={useName(value)}
      suggested={newest?.data ?? []}
      find={find}
      none={text.list.noOrganization}
      onChange={onChange}
    />
  );
}
