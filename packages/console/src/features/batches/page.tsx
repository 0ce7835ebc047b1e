import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { text } from '../../strings/shared.ts';
import { Card } from '../../ui/card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { UntilRead } from '../../ui/states.tsx';
import { Id, Json, Status } from '../../ui/values.tsx';
import { type Batch, BatchActions, BatchFacts, BatchFiles, BatchTimes } from './batch.tsx';

const words = text.batches;
const liveMs = 2000;

/** One batch. `post` sends to it, null: its viewer may not; `urlOf` a file, null: its viewer may not read any. */
export function BatchPage(props: {
  id: string;
  back: ReactNode;
  read: () => Promise<Batch>;
  post: ((action: string, body?: object) => Promise<unknown>) | null;
  urlOf: ((fileId: string) => string) | null;
}) {
  const { id, back, read, post, urlOf } = props;
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['batch', id],
    queryFn: read,
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? liveMs : false),
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">{back}</nav>
      <UntilRead of={query} title={id} />
      {data && (
        <>
          <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
            <div className="min-w-0">
              <Heading
                title={`${data.model ?? words.noModel} ${id}`}
                className="flex flex-wrap items-center gap-x-3"
              >
                {data.model ?? words.noModel} <Status of={data.status} />
              </Heading>
              <p className="mt-1 text-soft">
                <Id of={id} />
              </p>
            </div>
            {post && (
              <BatchActions
                of={data}
                post={async (action, body) => {
                  await post(action, body);
                  await client.invalidateQueries({ queryKey: ['batch', id] });
                }}
              />
            )}
          </header>
          <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <BatchFacts of={data} />
            <div className="min-w-0 space-y-4">
              {urlOf && <BatchFiles of={data} urlOf={urlOf} />}
              <BatchTimes of={data} />
              {data.metadata && (
                <Card title={text.execution.metadata}>
                  <Json of={data.metadata} label={text.execution.metadata} />
                </Card>
              )}
            </div>
          </div>
        </>
      )}
    </>
  );
}
