import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import DataLoader from 'dataloader';
import { read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import type { ListColumn } from '../../ui/listTable.tsx';
import { type Named, shortened } from '../../ui/named.ts';
import { NamedField } from '../../ui/namedField.tsx';

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

function useName(id: string | undefined): string | null | undefined {
  const { data } = useQuery({
    queryKey: ['organization name', id],
    queryFn: () => names.load(id ?? ''),
    enabled: id !== undefined,
    staleTime: staleAfterMs,
  });
  return data;
}

export function OrganizationLink({ id, isInline = false }: { id: string; isInline?: boolean }) {
  const name = useName(id);
  return (
    <Link
      to="/organizations/$id"
      params={{ id }}
      title={id}
      className={`underline decoration-soft ${isInline ? '' : 'block truncate'}`}
    >
      {name ?? <span className="whitespace-nowrap font-mono text-xs">{shortened(id)}</span>}
    </Link>
  );
}

export const organizationColumn = (
  from: ListColumn<unknown>['from'] & string,
): ListColumn<{ organization_id: string }> => ({
  name: text.list.organization,
  of: ({ organization_id: id }) => <OrganizationLink id={id} />,
  csv: ({ organization_id: id }) => id,
  from,
  width: 'w-36',
});

async function find(typed: string): Promise<Named[]> {
  return (await read<Page>('/organizations', { text: typed, limit: perPage })).data;
}

/** The browser suggests the newest ones. */
export function OrganizationField(props: {
  label?: string;
  value: string | undefined;
  isRequired?: boolean;
  onChange: (id: string) => void;
}) {
  const { label = text.list.organization, value, isRequired = false, onChange } = props;
  const { data: newest } = useQuery({
    queryKey: ['organizations', 'newest'],
    queryFn: () => read<Page>('/organizations', { limit: perPage }),
    staleTime: staleAfterMs,
  });
  return (
    <NamedField
      label={label}
      placeholder={text.list.organizationHint}
      prefix="org"
      value={value}
      name={useName(value)}
      isRequired={isRequired}
      suggested={newest?.data ?? []}
      find={find}
      none={text.list.noOrganization}
      onChange={onChange}
    />
  );
}
