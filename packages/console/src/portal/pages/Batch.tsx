import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import {
  BatchActions,
  BatchFacts,
  BatchFiles,
  BatchTimes,
  type Batch as Record,
} from '../../features/batches/batch.tsx';
import { text } from '../../strings.ts';
import { Card } from '../../ui/card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { keptFilters } from '../../ui/lists.tsx';
import { UntilRead } from '../../ui/states.tsx';
import { Id, Json, Status } from '../../ui/values.tsx';
import { apiBase, change, read } from '../api.ts';
import { useMay } from '../session.tsx';

const words = text.batches;
const liveMs = 2000;

export function Batch() {
  const { id } = useParams({ from: '/batches/$id' });
  const query = useQuery({
    queryKey: ['batch', id],
    queryFn: () => read<Record>(`/batches/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? liveMs : false),
  });
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link
          to="/batches"
          search={keptFilters('/batches')}
          className="hover:underline"
        >{`← ${words.title}`}</Link>
      </nav>
      <UntilRead of={query} title={id} />
      {query.data && <Body of={query.data} />}
    </>
  );
}

function Body({ of }: { of: Record }) {
  const client = useQueryClient();
  const may = useMay();
  const post = async (action: string, body?: object) => {
    await change('POST', `/batches/${of.id}/${action}`, body && { body });
    await client.invalidateQueries({ queryKey: ['batch', of.id] });
  };
  const model = of.model ?? words.noModel;
  return (
    <>
      <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <Heading title={`${model} ${of.id}`} className="flex flex-wrap items-center gap-x-3">
            {model} <Status of={of.status} />
          </Heading>
          <p className="mt-1 text-soft">
            <Id of={of.id} />
          </p>
        </div>
        {may('executions', 'executions:write') && <BatchActions of={of} post={post} />}
      </header>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <BatchFacts of={of} />
        <div className="min-w-0 space-y-4">
          {may('executions', 'files') && (
            <BatchFiles of={of} urlOf={(id) => `${apiBase}/files/${id}/download`} />
          )}
          <BatchTimes of={of} />
          {of.metadata && (
            <Card title={text.execution.metadata}>
              <Json of={of.metadata} label={text.execution.metadata} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}
