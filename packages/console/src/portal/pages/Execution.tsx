import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Files, type FilesOf, fileIdsIn } from '../../features/executions/files.tsx';
import { Input } from '../../features/executions/Input.tsx';
import { Result } from '../../features/executions/Output.tsx';
import { Ending, Streamed } from '../../features/executions/Streamed.tsx';
import type { Stream } from '../../features/executions/shownStream.ts';
import { useStream } from '../../features/executions/stream.ts';
import { billedText } from '../../features/money/billed.ts';
import { DeliveryView } from '../../features/webhooks/delivery.tsx';
import { number } from '../../strings/locale.ts';
import { text } from '../../strings/shared.ts';
import { Card } from '../../ui/card.tsx';
import { Confirmed } from '../../ui/dialog.tsx';
import { duration } from '../../ui/format.ts';
import { Heading } from '../../ui/heading.tsx';
import { keptFilters } from '../../ui/lists.tsx';
import { Empty, Problem, Skeleton, UntilRead } from '../../ui/states.tsx';
import { Code, Id, Json, Money, Status, stateText, Time } from '../../ui/values.tsx';
import { apiBase, change, read, type Schemas } from '../api.ts';
import { useModels } from '../models.ts';
import { useMay } from '../session.tsx';
import { words } from '../strings.ts';

type Details = Schemas['ExecutionDetails'];

const liveMs = 2000;
/** Previews of one output; its JSON names all files. */
const maxFiles = 20;

export function Execution() {
  const { id } = useParams({ from: '/executions/$id' });
  const query = useQuery({
    queryKey: ['execution', id],
    queryFn: () => read<Details>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data?.completed_at === null ? liveMs : false),
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link
          to="/executions"
          search={keptFilters('/executions')}
          className="hover:underline"
        >{`← ${text.execution.back}`}</Link>
      </nav>
      <UntilRead of={query} title={id} />
      {data && <Body of={data} />}
    </>
  );
}

function Body({ of }: { of: Details }) {
  const may = useMay();
  const models = useModels();
  const { stream: kind = null, on_cancel: onCancel } =
    models.data?.data.find(({ slug }) => slug === of.model) ?? {};
  const streams = of.completed_at === null && kind !== null;
  const url = `${apiBase}/executions/${of.id}/stream`;
  const stream = useStream(streams ? { id: of.id, url, kind } : null);
  return (
    <>
      <Head of={of} isChargedOnCancel={onCancel === 'charge' && stream.hasOutput} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.output}>
            <Output of={of} stream={stream} />
          </Card>
          <SubmittedInput of={of} />
          {of.logs && (
            <Card title={text.execution.logs}>
              <Code of={of.logs} label={text.execution.logs} />
            </Card>
          )}
        </div>
        <div className="min-w-0 space-y-4">
          <Facts of={of} />
          {may('webhooks') && <Webhooks of={of} />}
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

function Head({ of, isChargedOnCancel }: { of: Details; isChargedOnCancel: boolean }) {
  const client = useQueryClient();
  const may = useMay();
  const cancel = async () => {
    await change('POST', `/executions/${of.id}/cancel`);
    await client.invalidateQueries({ queryKey: ['execution', of.id] });
  };
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Heading title={`${of.model} ${of.id}`} className="flex flex-wrap items-center gap-x-3">
          {of.model} <Status of={of.status} />
        </Heading>
        <p className="mt-1 text-soft">
          <Id of={of.id} />
        </p>
        {of.error && <p className="mt-2 text-bad">{`${of.error.code}: ${of.error.message}`}</p>}
      </div>
      {of.completed_at === null && may('executions', 'executions:write') && (
        <Confirmed
          label={text.execution.cancel}
          question={
            isChargedOnCancel ? words.execution.chargedCancelQuestion : words.execution.cancelQuestion
          }
          tone="danger"
          act={cancel}
        />
      )}
    </header>
  );
}

function Facts({ of }: { of: Details }) {
  const moments: [string, string | null][] = [
    [words.execution.accepted, of.created_at],
    [words.execution.started, of.started_at],
    [stateText(of.status), of.completed_at],
  ];
  return (
    <Card title={text.execution.timeline}>
      <ol className="space-y-3 border-line border-l pl-5">
        {moments.map(([what, at]) => at !== null && <Moment key={what} what={what} at={at} />)}
      </ol>
      <Amounts of={of} />
    </Card>
  );
}

function Moment({ what, at }: { what: string; at: string }) {
  return (
    <li className="relative">
      <span aria-hidden="true" className="absolute top-1.5 -left-[25px] size-2.5 rounded-full bg-accent" />
      <span className="block font-medium">{what}</span>
      <span className="text-soft text-xs">
        <Time at={at} />
      </span>
    </li>
  );
}

function Amounts({ of }: { of: Details }) {
  const { usage, latency_ms: ms } = of;
  const billed = usage && billedText(usage);
  const facts: (readonly [name: string, value: ReactNode])[] = [
    [text.execution.estimate, <Money key="estimate" of={of.estimated_cost} />],
    [text.execution.hold, <Money key="hold" of={of.hold_amount} />],
    [text.execution.charge, <Money key="charge" of={of.cost} />],
    ...(ms === undefined ? [] : [[words.execution.latency, duration(ms)] as const]),
    ...(usage
      ? [[words.execution.tokens, `${number(usage.input_tokens)} / ${number(usage.output_tokens)}`] as const]
      : []),
    ...(billed ? [[text.execution.chargedFor, billed] as const] : []),
  ];
  return (
    <dl className="mt-4 grid grid-cols-2 gap-3 border-line border-t pt-4 sm:grid-cols-3">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-soft text-xs">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Output({ of, stream }: { of: Details; stream: Stream }) {
  const mayFiles = useMay()('executions', 'files');
  if (of.erased_at) return <p className="text-soft">{text.execution.erased}</p>;
  if (of.completed_at === null) return <Streamed of={stream} urlOf={files.urlOf} />;
  if (of.result === undefined) return <Ending of={of} />;
  const ids = mayFiles ? fileIdsIn(of.result).slice(0, maxFiles) : [];
  return (
    <div className="space-y-3">
      <Files ids={ids} from={files} />
      <Result of={of.result} isShown={ids.length > 0} />
      <Ending of={of} />
    </div>
  );
}

const files: FilesOf = {
  read: (id) => read(`/files/${id}`),
  urlOf: (id) => `${apiBase}/files/${id}/download`,
};

/** Read apart from the status, which is read again and again. */
function SubmittedInput({ of: { id, erased_at: erasedAt } }: { of: Details }) {
  const mayFiles = useMay()('executions', 'files');
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['input', id],
    queryFn: () => read<Schemas['ExecutionInput']>(`/executions/${id}/input`),
    enabled: erasedAt === null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card title={text.execution.input}>
      {erasedAt !== null && <p className="text-soft">{text.execution.erased}</p>}
      {isLoading && <Skeleton rows={3} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {erasedAt === null && data && <Input id={id} of={data.input} from={mayFiles ? files : null} />}
    </Card>
  );
}

function Webhooks({ of }: { of: Details }) {
  const client = useQueryClient();
  const { id, completed_at: endedAt, erased_at: erasedAt } = of;
  const queryKey = ['deliveries', 'of', id];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => read<Schemas['DeliveryPage']>('/webhooks/deliveries', { execution_id: id }),
    refetchInterval: ({ state }) =>
      endedAt === null || state.data?.deliveries.some(({ status }) => status === 'pending') ? liveMs : false,
  });
  const redeliver = async (delivery: string) => {
    await change('POST', `/webhooks/deliveries/${delivery}/redeliver`);
    await client.invalidateQueries({ queryKey });
  };
  return (
    <Card title={text.execution.webhooks}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.deliveries.length === 0 && (
        <Empty title={text.execution.noWebhooks} hint={words.webhooks.emptyHint} />
      )}
      <ul className="divide-y divide-line">
        {data?.deliveries.map((delivery) => (
          <DeliveryView
            key={delivery.id}
            delivery={delivery}
            disabledBecause={erasedAt ? text.webhooks.erased : null}
            redeliver={async () => await redeliver(delivery.id)}
          />
        ))}
      </ul>
    </Card>
  );
}
