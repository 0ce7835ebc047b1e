import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  change,
  type FieldProblem,
  isNotFound,
  newIdempotencyKey,
  RequestError,
  read,
  type Schemas,
  upload,
} from '../api.ts';
import { useRefusal } from '../features/access/session.tsx';
import { Run } from '../features/executions/Run.tsx';
import { type Draft, useDraft } from '../features/models/drafts.ts';
import { type Model, useModels } from '../features/models/models.ts';
import { type Input, SchemaForm } from '../features/models/schemaForm.tsx';
import { JsonField } from '../features/models/valueFields.tsx';
import { OrganizationField } from '../features/organizations/organizations.tsx';
import type { PlaygroundSearch } from '../features/search/filters.ts';
import { text } from '../strings.ts';
import { subtract } from '../ui/amounts.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Field, inputLook } from '../ui/field.tsx';
import { Heading } from '../ui/heading.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Facts, Money } from '../ui/values.tsx';

type Organization = Schemas['Organization'];
type Estimate = Schemas['Estimate'];

export function Playground() {
  const search = useSearch({ from: '/playground' });
  const models = useModels();
  const organization = useOrganization(search.organization);
  const isUnknown = isNotFound(organization.error);
  const error = models.error ?? (isUnknown ? null : organization.error);
  const offered = (models.data ?? []).filter(({ isActive }) => isActive);
  const easy = offered.find(isEasy) ?? offered[0];
  const model = search.model === undefined ? easy : offered.find(({ slug }) => slug === search.model);
  const isLoaded = models.data !== undefined && !organization.isPending;
  return (
    <>
      <Heading title={text.nav.playground} />
      <p className="mt-1 mb-4 text-soft">{text.playground.about}</p>
      {error && (
        <Problem error={error} onRetry={() => void Promise.all([models.refetch(), organization.refetch()])} />
      )}
      {!error && !isLoaded && <Skeleton rows={8} />}
      {isLoaded && !easy && <Empty title={text.models.noneOffered} hint={text.models.emptyHint} />}
      {isLoaded && easy && !model && <NotOffered slug={search.model ?? ''} offered={offered} />}
      {isLoaded && model && organization.data === null && (
        <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
      )}
      {isUnknown && model && <UnknownOrganization id={search.organization ?? ''} />}
      {model && organization.data && (
        <Workbench key={model.slug} model={model} offered={offered} organization={organization.data} />
      )}
    </>
  );
}

/** Another model is run only if the operator chooses it: it may cost something else. */
function NotOffered({ slug, offered }: { slug: string; offered: Model[] }) {
  const navigate = useNavigate();
  const search = useSearch({ from: '/playground' });
  return (
    <Card title={text.playground.request}>
      <p role="status" className="mb-4">
        {text.playground.notOffered(slug)}{' '}
        <Link to="/models/$slug" params={{ slug }} className="underline">
          {text.playground.aboutModel}
        </Link>
      </p>
      <ModelField
        value=""
        offered={offered}
        onChange={(model) =>
          void navigate({ to: '/playground', search: { ...search, model }, replace: true })
        }
      />
    </Card>
  );
}

function UnknownOrganization({ id }: { id: string }) {
  const navigate = useNavigate();
  const search = useSearch({ from: '/playground' });
  return (
    <Card title={text.playground.request}>
      <p role="status" className="mb-4 wrap-anywhere">
        {text.playground.noOrganization(id)}
      </p>
      <OrganizationField
        label={text.playground.organization}
        value={undefined}
        onChange={(organization) =>
          void navigate({ to: '/playground', search: { ...search, organization }, replace: true })
        }
      />
    </Card>
  );
}

function ModelField(props: { value: string; offered: Model[]; onChange: (slug: string) => void }) {
  const { value, offered, onChange } = props;
  return (
    <Field label={text.playground.model}>
      <select
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className={inputLook}
      >
        {value === '' && (
          <option value="" disabled>
            {text.playground.choose}
          </option>
        )}
        {offered.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Costs nothing elsewhere, and its example runs as it is. */
function isEasy(model: Model): boolean {
  const { providers, input_schema: schema } = model.definition;
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  return (
    providers.every(({ connection }) => connection === 'sandbox') &&
    required.every((name) => name in exampleOf(model))
  );
}

/** An id from the address may be anything. */
const pathOf = (organizationId: string) => `/organizations/${encodeURIComponent(organizationId)}`;

/**
 * The one that is asked for, or else ran something last and so has a balance, or else the newest; null: there is none.
 * It is read once for each visit: an organization that ran something since must not become the one that pays.
 */
function useOrganization(wanted: string | undefined) {
  return useQuery({
    queryKey: ['organization to run for', wanted],
    queryFn: async () => {
      const id = wanted ?? (await firstChoice());
      return id === undefined ? null : await read<Organization>(pathOf(id));
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

async function firstChoice(): Promise<string | undefined> {
  const [executions, organizations] = await Promise.all([
    read<Schemas['AnyExecutionPage']>('/executions', { limit: 1 }),
    read<Schemas['OrganizationPage']>('/organizations', { limit: 1 }),
  ]);
  return executions.data[0]?.organization_id ?? organizations.data[0]?.id;
}

type WorkbenchProps = { model: Model; offered: Model[]; organization: Organization };

function Workbench({ model, offered, organization }: WorkbenchProps) {
  const navigate = useNavigate();
  const { run, organization: wanted = organization.id } = useSearch({ from: '/playground' });
  const draft = useDraft(model.slug);
  const [input, setInput] = useState(() => inputFor(model, wanted, draft.read()));
  const edit = (changed: Input, organizationId = wanted) => {
    setInput(changed);
    draft.keep({ organizationId, input: changed });
  };
  const [isJson, setJson] = useState(false);
  const estimate = useEstimate(wanted, model.slug, input);
  const running = useRun(wanted, model.slug, input);
  const set = (changed: PlaygroundSearch) =>
    void navigate({
      to: '/playground',
      search: { model: model.slug, organization: wanted, ...changed },
      replace: true,
    });
  const isChanging = organization.id !== wanted;
  const start = async () => {
    if (isChanging) return;
    const id = await running.start();
    if (id === null) return;
    draft.drop();
    set({ run: id });
  };
  const problems = problemsOf(running.error ?? (isIncomplete(estimate.error) ? null : estimate.error));
  return (
    <form
      className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div className="min-w-0 space-y-4">
        <Card title={text.playground.request}>
          <div className="grid gap-4 sm:grid-cols-2">
            <ModelField value={model.slug} offered={offered} onChange={(slug) => set({ model: slug })} />
            <OrganizationField
              label={text.playground.organization}
              value={wanted}
              isRequired
              onChange={(id) => {
                if (!isJson && id !== wanted) edit(withoutFiles(input), id);
                set({ organization: id });
              }}
            />
          </div>
          <p className="mt-3 text-soft text-xs">
            {model.definition.description}{' '}
            <Link to="/models/$slug" params={{ slug: model.slug }} className="underline">
              {text.playground.aboutModel}
            </Link>
          </p>
        </Card>
        <Card
          title={text.execution.input}
          aside={
            <label className="flex items-center gap-2 text-soft text-xs">
              <input
                type="checkbox"
                checked={isJson}
                onChange={({ currentTarget }) => setJson(currentTarget.checked)}
              />
              {text.playground.asJson}
            </label>
          }
        >
          {isJson ? (
            <label className="block">
              <span className="sr-only">{text.execution.input}</span>
              <JsonField
                id="input"
                rows={14}
                value={input}
                onChange={(given) =>
                  edit(typeof given === 'object' && given !== null ? (given as Input) : {})
                }
              />
            </label>
          ) : (
            <SchemaForm
              key={wanted}
              schema={model.definition.input_schema}
              value={input}
              problems={problems}
              upload={(file) => upload(wanted, file)}
              onChange={(changed) => edit(changed)}
            />
          )}
        </Card>
      </div>
      <div className="min-w-0 space-y-4">
        <Cost estimate={estimate} organization={organization} running={running} isChanging={isChanging} />
        {run ? (
          <Run key={run} id={run} />
        ) : (
          <Empty title={text.playground.noRun} hint={text.playground.noRunHint} />
        )}
      </div>
    </form>
  );
}

/** The first example of the schema, without the files, which only a test has. */
function exampleOf({ definition }: Model): Input {
  const { examples } = definition.input_schema;
  const [first = {}] = Array.isArray(examples) ? (examples as Input[]) : [];
  return withoutFiles(first);
}

function inputFor(model: Model, organizationId: string, draft: Draft | null): Input {
  if (draft === null) return exampleOf(model);
  return draft.organizationId === organizationId ? draft.input : withoutFiles(draft.input);
}

/** A file belongs to the organization that uploaded it. */
const withoutFiles = (input: Input): Input =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => !/"file_[\w-]+"/.test(JSON.stringify(value))),
  );

/** An input with nothing wrong but what is still to be filled in. */
const isIncomplete = (error: unknown): boolean => {
  const problems = problemsOf(error);
  return problems.length > 0 && problems.every(({ code }) => code === 'REQUIRED');
};

const problemsOf = (error: unknown): FieldProblem[] => (error instanceof RequestError ? error.details : []);

/** An estimate follows the input this much later: each is a request. */
const settleMs = 500;

function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function useEstimate(organizationId: string, model: string, input: Input) {
  const settled = useSettled(input);
  return useQuery({
    queryKey: ['estimate', organizationId, model, settled],
    queryFn: () =>
      change<Estimate>('POST', `${pathOf(organizationId)}/executions/estimate`, {
        body: { model, input: settled },
      }),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/** One idempotency key until a response has come: a double click, or a retry after a lost response, runs once. */
function useRun(organizationId: string, model: string, input: Input) {
  const [key, setKey] = useState(newIdempotencyKey);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another input or organization is another request
  useEffect(() => {
    setKey(newIdempotencyKey());
    setError(null);
  }, [input, organizationId]);
  const start = async (): Promise<string | null> => {
    setBusy(true);
    setError(null);
    try {
      const { id } = await change<{ id: string }>('POST', `${pathOf(organizationId)}/executions`, {
        body: { model, input },
        idempotencyKey: key,
      });
      setKey(newIdempotencyKey());
      return id;
    } catch (reason) {
      setError(reason);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { start, isBusy, error };
}

type CostProps = {
  estimate: ReturnType<typeof useEstimate>;
  organization: Organization;
  running: ReturnType<typeof useRun>;
  /** Another organization was chosen and is still being read. */
  isChanging: boolean;
};

function Cost({ estimate, organization, running, isChanging }: CostProps) {
  const refusal = useRefusal('admin');
  const { data, error, isPlaceholderData } = estimate;
  const balance = useQuery({
    queryKey: ['organization', organization.id],
    queryFn: () => read<Schemas['OrganizationWithBalance']>(pathOf(organization.id)),
  });
  const available = balance.data?.balance.available;
  const isShort = data && available !== undefined && subtract(available, data.hold_amount).startsWith('-');
  const isStale = isPlaceholderData ? 'opacity-50' : '';
  return (
    <Card title={text.playground.cost}>
      {!data && !error && <Skeleton rows={2} />}
      {data && !error && (
        <div className={isStale}>
          <Facts
            of={[
              [text.execution.estimate, <Money key="estimate" of={data.estimated_cost} />],
              [text.execution.hold, <Money key="hold" of={data.hold_amount} />],
              [text.execution.available, <Money key="available" of={available} />],
            ]}
          />
          <p className="mt-2 text-soft text-xs">
            {data.items
              .map(({ quantity, unit, input, unit_price: price, amount }) => {
                const counted = input === undefined ? unit : `${unit} (${input})`;
                return `${quantity} ${counted} × ${price} = ${amount}`;
              })
              .join(' + ')}
          </p>
        </div>
      )}
      {isShort && (
        <p role="status" className="mt-3 text-bad">
          {`${text.playground.short} `}
          <Link to="/organizations/$id" params={{ id: organization.id }} className="underline">
            {text.playground.topUp(organization.name)}
          </Link>
        </p>
      )}
      {running.error === null && isIncomplete(error) ? (
        <p className="text-soft">{text.playground.incomplete}</p>
      ) : (
        (running.error ?? error) !== null && <Refused error={running.error ?? error} />
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          tone="primary"
          disabled={refusal !== null || running.isBusy || isChanging || error !== null}
          title={refusal ?? undefined}
        >
          {running.isBusy ? text.playground.starting : text.playground.run}
        </Button>
        <span className="text-soft text-xs">
          {refusal ??
            (organization.test_of === null
              ? data && text.playground.spends(data.hold_amount, organization.name)
              : text.playground.free)}
        </span>
      </div>
    </Card>
  );
}

function Refused({ error }: { error: unknown }) {
  const problems = problemsOf(error);
  if (problems.length === 0) return <Problem error={error} />;
  return (
    <div role="alert">
      <p className="font-medium text-bad">{text.playground.invalid}</p>
      <ul className="mt-1 list-inside list-disc text-bad text-xs">
        {problems.map(({ field, message }) => (
          <li key={`${field} ${message}`}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
