import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { runSamples } from '../../../domain/src/codeSamples.ts';
import { change, newIdempotencyKey, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { actionsOf, neededRole } from '../features/executions/actions.ts';
import { adminFiles } from '../features/executions/files.tsx';
import { Input } from '../features/executions/Input.tsx';
import { executionKey, useExecution, useLive } from '../features/executions/live.ts';
import { Output } from '../features/executions/Output.tsx';
import { ProgressBar } from '../features/executions/Run.tsx';
import { Timeline } from '../features/executions/timeline.tsx';
import { MoneyCard } from '../features/money/money.tsx';
import { Refund } from '../features/money/refund.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { DeliveryRow } from '../features/webhooks/deliveries.tsx';
import { text } from '../strings.ts';
import { Copy, canCopy, linkLook } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { Heading } from '../ui/heading.tsx';
import { keptFilters } from '../ui/lists.tsx';
import { Empty, UntilRead } from '../ui/states.tsx';
import { Code, Id, Json, Status } from '../ui/values.tsx';

type Whole = Schemas['ExecutionWithAttempts'];

export function Execution() {
  const { id } = useParams({ from: '/executions/$id' });
  const query = useExecution(id);
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
      {data && <Details of={data} />}
    </>
  );
}

function Details({ of }: { of: Whole }) {
  const { progress, lines, stream, isChargedOnCancel } = useLive(of);
  const log = of.logs ?? (lines.length > 0 ? lines.join('\n') : null);
  return (
    <>
      <Head of={of} isChargedOnCancel={isChargedOnCancel} />
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.timeline}>
            {of.completed_at === null && <ProgressBar of={progress ?? of.progress} />}
            <Timeline of={of} />
          </Card>
          <MoneyCard of={of} />
          <Webhooks of={of} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.output}>
            <Output of={of} stream={stream} />
          </Card>
          <Card title={text.execution.input} aside={<CopyAs of={of} />}>
            {of.erased_at ? (
              <p className="text-soft">{text.execution.erased}</p>
            ) : (
              <Input id={of.id} of={of.input} from={adminFiles(of.organization_id)} />
            )}
          </Card>
          {of.metadata && (
            <Card title={text.execution.metadata}>
              <Json of={of.metadata} label={text.execution.metadata} />
            </Card>
          )}
          {log && (
            <Card title={text.execution.logs}>
              <Code of={log} label={text.execution.logs} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

function Head({ of, isChargedOnCancel }: { of: Whole; isChargedOnCancel: boolean }) {
  const client = useQueryClient();
  const missingRoles = { cancel: useMissingRole(neededRole.cancel), erase: useMissingRole(neededRole.erase) };
  const offered = actionsOf(of);
  const refresh = () => client.invalidateQueries({ queryKey: executionKey(of.id) });
  const cancel = async () => {
    await change('POST', `/executions/${of.id}/cancel`);
    await refresh();
  };
  const erase = async () => {
    await change('DELETE', `/organizations/${of.organization_id}/executions/${of.id}`);
    await refresh();
  };
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Heading title={`${of.model} ${of.id}`} className="flex flex-wrap items-center gap-x-3">
          {of.model} <Status of={of.status} />
        </Heading>
        <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-soft">
          <Id of={of.id} />
          <OrganizationLink id={of.organization_id} />
        </p>
        <Reruns of={of} />
        {of.error && <p className="mt-2 text-bad">{`${of.error.code}: ${of.error.message}`}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        {offered.includes('runAgain') && <RunAgain of={of} />}
        {Number(of.refundable) > 0 && <Refund of={of} />}
        {offered.includes('cancel') && (
          <Confirmed
            label={text.execution.cancel}
            question={
              isChargedOnCancel ? text.execution.chargedCancelQuestion : text.execution.cancelQuestion
            }
            tone="danger"
            disabledBecause={missingRoles.cancel}
            act={cancel}
          />
        )}
        {offered.includes('erase') && (
          <Confirmed
            label={text.execution.erase}
            verb={text.execution.eraseIt}
            question={text.execution.eraseQuestion}
            tone="danger"
            disabledBecause={missingRoles.erase}
            act={erase}
          />
        )}
      </div>
    </header>
  );
}

/** What this execution repeats, and what repeats it. */
function Reruns({ of }: { of: Whole }) {
  const link = (id: string, status?: string) => (
    <Link
      key={id}
      to="/executions/$id"
      params={{ id }}
      className="inline-flex flex-wrap items-center gap-x-2 underline"
    >
      <Id of={id} />
      {status && <Status of={status} />}
    </Link>
  );
  return (
    <>
      {of.rerun_of && (
        <p className="mt-1 text-soft">
          {`${text.execution.rerunOf} `}
          {link(of.rerun_of)}
        </p>
      )}
      {of.reruns.length > 0 && (
        <div className="mt-1 text-soft">
          {text.execution.reruns}
          <ul>
            {of.reruns.map(({ id, status }) => (
              <li key={id}>{link(id, status)}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The key lasts as long as the page: a double click, or a retry after a lost response, runs once. */
function RunAgain({ of }: { of: Whole }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const missingRole = useMissingRole(neededRole.runAgain);
  const [key, setKey] = useState(newIdempotencyKey);
  const run = async () => {
    const { id } = await change<{ id: string }>('POST', `/executions/${of.id}/rerun`, {
      idempotencyKey: key,
    });
    setKey(newIdempotencyKey());
    await client.invalidateQueries({ queryKey: executionKey(of.id) });
    await navigate({ to: '/executions/$id', params: { id } });
  };
  return (
    <Confirmed
      label={text.execution.runAgain}
      question={text.execution.runAgainQuestion(of.hold_amount)}
      disabledBecause={missingRole}
      act={run}
    />
  );
}

function Webhooks({ of }: { of: Whole }) {
  return (
    <Card title={text.execution.webhooks}>
      {of.deliveries.length === 0 && (
        <Empty title={text.execution.noWebhooks} hint={text.execution.noWebhooksHint}>
          <Link to="/organizations/$id" params={{ id: of.organization_id }} className={linkLook}>
            {text.execution.openOrganization}
          </Link>
        </Empty>
      )}
      <ul className="divide-y divide-line">
        {of.deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            organizationId={of.organization_id}
            body={of.events.find(({ id }) => id === delivery.event_id)?.body ?? null}
            isErased={of.erased_at !== null}
            stale={executionKey(of.id)}
          />
        ))}
      </ul>
    </Card>
  );
}

function CopyAs({ of }: { of: Whole }) {
  if (of.erased_at || !canCopy()) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs">
      <span className="text-soft">{text.execution.copyAs}</span>
      {Object.entries(runSamples(of.model, of.input)).map(([language, code]) => (
        <Copy key={language} value={code} label={language} />
      ))}
    </div>
  );
}
