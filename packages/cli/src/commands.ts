import { monthsAhead } from '@holdfast/db/partitions';
import { executionStatuses } from '@holdfast/domain/statuses';
import type { Command } from './command.ts';

const queues = 'dispatch|recover|callback|poll|abort|settle|fanout|deliver|test-call|adjust|check-model';
const batchStatuses = 'open|running|paused|finishing|completed|cancelled|expired';
const isDryRun = (args: string[]) => args.includes('--dry-run');

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'doctor',
    about: `check the whole system, and print what is wrong and how to fix it: database (migrations, rights, partitions,
clock), Redis, store, disk space, public URL and its certificate, admin API, providers and their keys, models, services, overdue work.
It writes one object to the store and removes it.`,
    usage: 'holdfast doctor [--json]',
    examples: 'holdfast doctor\ndocker compose run --rm holdfast doctor',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  {
    name: 'console',
    about: `print a link that signs a browser in to the console, once and within 10 minutes, as the operator of the admin token.
--url is where the browser reaches the admin port; default CONSOLE_URL, else the URL of the admin API`,
    usage: 'holdfast console [--url URL] [--json]',
    examples: 'holdfast console\ndocker compose run --rm holdfast console',
    load: async () => (await import('./console/console.ts')).openConsole,
  },
  {
    name: 'org create',
    about: 'create an organization, with an empty balance',
    usage: 'holdfast org create <name> [--json]',
    examples: 'holdfast org create "Acme Inc."',
    load: async () => (await import('./org/create.ts')).orgCreate,
  },
  {
    name: 'org list',
    about:
      'list organizations with their balance and spend; --name finds those with a text in their name, --runs-low those whose balance is below the spend of their last 7 days, --test includes those of test keys',
    usage:
      'holdfast org list [--name <text>] [--sort newest|name|balance|spend] [--runs-low] [--test] [--limit 100] [--json]',
    examples: 'holdfast org list --sort spend',
    load: async () => (await import('./org/list.ts')).orgList,
  },
  {
    name: 'org show',
    about: 'show an organization, its balance and limits',
    usage: 'holdfast org show <org> [--json]',
    load: async () => (await import('./org/show.ts')).orgShow,
  },
  {
    name: 'org limit',
    about: `limit how many executions of an organization run at once, or how much it may spend in a month (UTC); none
removes the limit. --overage applies to a cost above the hold, --spend-limit-overage to a cost above a spend limit: charge
it in full, or cap it (docs/money.md); default uses the setting of the installation. Other settings do not change.`,
    usage: `holdfast org limit <org> [--max-concurrency N|none] [--monthly-spend AMOUNT|none]
  [--overage charge|cap|default] [--spend-limit-overage charge|cap|default] [--json]`,
    examples: `holdfast org limit org_… --max-concurrency 20
holdfast org limit org_… --monthly-spend none
holdfast org limit org_… --overage cap`,
    load: async () => (await import('./org/limit.ts')).orgLimit,
  },
  {
    name: 'topup',
    about: 'add to the balance of an organization, once per idempotency key',
    usage: 'holdfast topup <org> <amount> [--reason TEXT] [--idempotency-key KEY] [--json]',
    examples: 'holdfast topup org_… 25.00 --idempotency-key invoice-7',
    load: async () => (await import('./balance/adjust.ts')).topup,
  },
  {
    name: 'correct',
    about: `correct the balance of an organization, once per idempotency key. A negative amount is taken from the available
balance, and refused if it exceeds it.`,
    usage: 'holdfast correct <org> <amount> --reason TEXT [--idempotency-key KEY] [--json]',
    examples: 'holdfast correct org_… -3.50 --reason "billed twice" --idempotency-key ticket-12',
    load: async () => (await import('./balance/adjust.ts')).correct,
  },
  {
    name: 'review list',
    about: `list the executions that reported a cost above ten times their hold, newest first: they were charged the hold, and
an operator decides about the rest. Only open ones, without --all`,
    usage: 'holdfast review list [--org ORG] [--all] [--limit 20] [--json]',
    load: async () => (await import('./review/review.ts')).reviewList,
  },
  {
    name: 'review accept',
    about: `charge the rest of a reported cost, or --amount of it, to the balance of the organization; refused if the available
balance does not cover it. A review is decided once`,
    usage:
      'holdfast review accept <execution> --reason TEXT [--amount AMOUNT] [--idempotency-key KEY] [--json]',
    examples: 'holdfast review accept exec_… --amount 12.50 --reason "2 hours of video, as agreed"',
    load: async () => (await import('./review/review.ts')).reviewAccept,
  },
  {
    name: 'review write-off',
    about: 'close a review without charging more than the hold',
    usage: 'holdfast review write-off <execution> --reason TEXT [--idempotency-key KEY] [--json]',
    examples: 'holdfast review write-off exec_… --reason "the token counter overflowed"',
    load: async () => (await import('./review/review.ts')).reviewWriteOff,
  },
  {
    name: 'key create',
    about: 'create an API key for an organization; the key is shown only once',
    usage: `holdfast key create <org> <name> [--mode live|test] [--permissions full|execution] [--scopes <list>]
    [--expires 90d] [--models <list>] [--addresses <list>] [--json]`,
    examples: `holdfast key create org_... CI --scopes executions:write,executions:read --expires 2027-01-01T00:00:00Z
holdfast key create org_... worker --models sandbox-text --addresses 203.0.113.0/24,2001:db8::/32`,
    load: async () => (await import('./key/create.ts')).keyCreate,
  },
  {
    name: 'key list',
    about: "list an organization's API keys, revoked ones included; their values are never shown",
    usage: 'holdfast key list <org> [--json]',
    load: async () => (await import('./key/list.ts')).keyList,
  },
  {
    name: 'key limit',
    about: 'limit how much an API key may spend in a month (UTC); none removes the limit',
    usage: 'holdfast key limit <org> <key> --monthly-spend AMOUNT|none [--json]',
    examples: 'holdfast key limit org_… key_… --monthly-spend 50.00',
    load: async () => (await import('./key/limit.ts')).keyLimit,
  },
  {
    name: 'key rotate',
    about: 'give an API key a new value, which is shown only once; the old one works for another hour',
    usage: 'holdfast key rotate <org> <key> [--json]',
    load: async () => (await import('./key/change.ts')).keyRotate,
  },
  {
    name: 'key revoke',
    about: 'revoke an API key for good: it stops working within 5 seconds',
    usage: 'holdfast key revoke <org> <key> [--json]',
    load: async () => (await import('./key/change.ts')).keyRevoke,
  },
  {
    name: 'run',
    about: `run a model through the API, as a client does, and print its output as JSON; the organization of the key pays.
--input: the input; by default the first example of the model; @path in a file property is a local file.
--stream: print the output while it is made: text and sound as they are, a JSON value in a line.
--json: print the record of the execution, or with --stream each event. --url, --key: by default HOLDFAST_URL and
HOLDFAST_API_KEY (safer, because process lists show flags), else those of npm start. Ctrl-C cancels the execution.`,
    usage: 'holdfast run <model> [--input JSON|@file] [--stream] [--json] [--url URL] [--key KEY]',
    examples: `holdfast run sandbox-text --stream --input '{"prompt": "A lighthouse"}'`,
    load: async () => (await import('./run/run.ts')).run,
  },
  {
    name: 'batch run',
    about: `run the items of a file as a batch through the API, as a client does: a JSON object on each line, with custom_id and input.
Prints a JSON line for each item that ended, or writes them to --out. What it does is not lost with it: run again, it goes on
with the batch of the same file and flags. --idempotency-key: begin a batch of that name, although the file was run before.
--skip-rejected: run the other items when some are not accepted. Ctrl-C leaves the batch running. --url, --key: as for run`,
    usage: `holdfast batch run <FILE> [--model SLUG] [--out FILE] [--max-cost AMOUNT] [--skip-rejected]
    [--idempotency-key KEY] [--json] [--url URL] [--key KEY]`,
    examples: 'holdfast batch run prompts.jsonl --model sandbox-text --out results.jsonl',
    load: async () => (await import('./batch/run.ts')).batchRun,
  },
  {
    name: 'batch list',
    about: 'list the batches of the organization of the key, newest first',
    usage: `holdfast batch list [--status ${batchStatuses}] [--limit 20] [--json]
    [--url URL] [--key KEY]`,
    load: async () => (await import('./batch/batches.ts')).batchList,
  },
  {
    name: 'batch get',
    about: 'show a batch: its status, counts and cost',
    usage: 'holdfast batch get <batch> [--json] [--url URL] [--key KEY]',
    load: async () => (await import('./batch/batches.ts')).batchGet,
  },
  {
    name: 'batch pause',
    about: 'start no more items of a batch until it is resumed; what runs goes on',
    usage: 'holdfast batch pause <batch> [--json] [--url URL] [--key KEY]',
    load: async () => (await import('./batch/batches.ts')).batchPause,
  },
  {
    name: 'batch resume',
    about: 'go on with a paused batch; --max-cost takes the place of its own',
    usage: 'holdfast batch resume <batch> [--max-cost AMOUNT] [--json] [--url URL] [--key KEY]',
    load: async () => (await import('./batch/batches.ts')).batchResume,
  },
  {
    name: 'batch cancel',
    about: 'cancel what waits and what runs of a batch; what completed stays, and is charged',
    usage: 'holdfast batch cancel <batch> [--json] [--url URL] [--key KEY]',
    load: async () => (await import('./batch/batches.ts')).batchCancel,
  },
  {
    name: 'batch retry',
    about:
      'run the failed, cancelled and expired items of a batch again, or those with --status, a list separated by commas',
    usage: 'holdfast batch retry <batch> [--status LIST] [--json] [--url URL] [--key KEY]',
    examples: 'holdfast batch retry bat_… --status failed',
    load: async () => (await import('./batch/batches.ts')).batchRetry,
  },
  {
    name: 'executions list',
    about:
      'list executions, newest first: of all organizations or of --org, created in the last 30 days or since --since',
    usage: `holdfast executions list [--org ORG] [--status ${executionStatuses.join('|')}]
    [--model SLUG] [--since 2h] [--limit 20] [--json]`,
    examples: 'holdfast executions list --status FAILED --since 1h',
    load: async () => (await import('./executions/list.ts')).executionsList,
  },
  {
    name: 'executions show',
    about: 'show an execution and every attempt at a provider; its input is never shown',
    usage: 'holdfast executions show <execution> [--json]',
    load: async () => (await import('./executions/show.ts')).executionsShow,
  },
  {
    name: 'executions tail',
    about: `follow an execution until it ends: status, progress, the provider's log. --org follows all executions of an
organization from now on, until Ctrl-C; above a hundred new ones per second, some are not shown. --json prints one document
per line for each change.`,
    usage: 'holdfast executions tail <execution> [--json]\nholdfast executions tail --org ORG [--json]',
    load: async () => (await import('./executions/tail.ts')).executionsTail,
  },
  {
    name: 'executions cancel',
    about: 'cancel an execution: its hold is released at once, and its provider is asked to stop',
    usage: 'holdfast executions cancel <execution> [--json]',
    load: async () => (await import('./executions/cancel.ts')).executionsCancel,
  },
  {
    name: 'executions bulk-cancel',
    about: `count the open executions of an organization that match all of the filters, at least one, and with --yes cancel them.
It may be run again at any time: what has ended stays as it is`,
    usage: `holdfast executions bulk-cancel <org> [--status STATUS] [--model SLUG] [--error CODE]
    [--since 2h] [--yes] [--json]`,
    examples: 'holdfast executions bulk-cancel org_… --model sandbox-image --since 2h',
    load: async () => (await import('./executions/bulk.ts')).executionsBulkCancel,
  },
  {
    name: 'executions bulk-rerun',
    about: `count the ended executions of an organization that match all of the filters, at least one, and with --yes run each of
them again, once per idempotency key: with the key that it prints, the command continues where it stopped`,
    usage: `holdfast executions bulk-rerun <org> [--status STATUS] [--model SLUG] [--error CODE] [--since 2h]
    [--idempotency-key KEY] [--yes] [--json]`,
    examples:
      'holdfast executions bulk-rerun org_… --status FAILED --error MODEL_OVERLOADED --since 1d --yes',
    load: async () => (await import('./executions/bulk.ts')).executionsBulkRerun,
  },
  {
    name: 'executions refund',
    about: `return what an execution was charged, or --amount of it, to the balance of its organization, once per idempotency key.
All refunds together return at most the charge. The client sees the reason in its transactions`,
    usage:
      'holdfast executions refund <execution> [--amount AMOUNT] [--reason TEXT] [--idempotency-key KEY] [--json]',
    examples: 'holdfast executions refund exec_… --reason "the image was blurred"',
    load: async () => (await import('./executions/refund.ts')).executionsRefund,
  },
  {
    name: 'webhooks list',
    about: "list an organization's webhook endpoints with their failures",
    usage: 'holdfast webhooks list <org> [--json]',
    load: async () => (await import('./webhooks/list.ts')).webhooksList,
  },
  {
    name: 'webhooks show',
    about:
      'show an endpoint (wh_…) with what waits for it, its last responses and deliveries, or a delivery (dlv_…) with its attempts; --attempted leaves out the deliveries that only wait',
    usage: 'holdfast webhooks show <org> <endpoint-or-delivery> [--attempted] [--limit 20] [--json]',
    load: async () => (await import('./webhooks/show.ts')).webhooksShow,
  },
  {
    name: 'webhooks redeliver',
    about: 'send a delivery again, whatever its status, with the same event id and the same bytes',
    usage: 'holdfast webhooks redeliver <org> <delivery> [--json]',
    load: async () => (await import('./webhooks/redeliver.ts')).webhooksRedeliver,
  },
  {
    name: 'webhooks recover',
    about:
      'send again the failed and expired deliveries of an endpoint that were created since the given time',
    usage: 'holdfast webhooks recover <org> <endpoint> --since 2h [--json]',
    load: async () => (await import('./webhooks/redeliver.ts')).webhooksRecover,
  },
  {
    name: 'queues',
    about:
      'show pending work: the jobs of every queue in Redis and the backlog in the database, with the age of the oldest',
    usage: 'holdfast queues [--json]',
    load: async () => (await import('./queues/queues.ts')).queuesShow,
  },
  {
    name: 'queues failed',
    about: `list the failed jobs that a queue keeps, with their errors. It keeps only a few, for a minute, because a sweep
finds the work of a failed job again; the logs of the services have them all.`,
    usage: `holdfast queues failed <${queues}> [--limit 20] [--json]`,
    load: async () => (await import('./queues/failed.ts')).queuesFailed,
  },
  {
    name: 'queues retry',
    about: 'retry the failed jobs that a queue keeps; it is safe to run a job twice',
    usage: `holdfast queues retry <${queues}> [--json]`,
    changes: () => true,
    load: async () => (await import('./queues/failed.ts')).queuesRetry,
  },
  {
    name: 'queues resume',
    about: 'resume a queue that was paused with a tool of BullMQ',
    usage: `holdfast queues resume <${queues}> [--json]`,
    changes: () => true,
    load: async () => (await import('./queues/failed.ts')).queuesResume,
  },
  {
    name: 'alerts test',
    about: `send a test alert to every receiver that the webhook-sender's settings name (docs/operate/notify.md), and print which took it;
receivers of webhooks are named by a hash of their URL, which may be secret`,
    usage: 'holdfast alerts test [--json]',
    changes: () => true,
    load: async () => (await import('./alerts/test.ts')).alertsTest,
  },
  {
    name: 'ledger audit',
    about: `check every invariant of the ledger and list the rows that break one; safe under load. --after-failover also reads logs of
the services, and lists the executions in them that the database does not have. See docs/operate/high-availability.md`,
    usage: `holdfast ledger audit [--json]
holdfast ledger audit --after-failover LOG... [--json]`,
    examples: 'docker compose logs --since 2h | holdfast ledger audit --after-failover -',
    load: async () => (await import('./ledger/audit.ts')).ledgerAudit,
  },
  {
    name: 'actions',
    about: `list the actions of operators, newest first: requests to the admin API, and commands that change something
without it. Includes refused ones`,
    usage: `holdfast actions [--org ORG] [--action TEXT] [--actor NAME] [--since 2h]
    [--limit 20] [--json]`,
    examples: 'holdfast actions --action top-ups --since 24h',
    load: async () => (await import('./actions/actions.ts')).actions,
  },
  {
    name: 'backup',
    about:
      'write a consistent snapshot of the database, and the files, into a new folder; safe under load. See docs/backup.md',
    usage: 'holdfast backup FOLDER [--without-files]',
    examples: `holdfast backup /backups/2026-11-21
holdfast restore --check /backups/2026-11-21`,
    load: async () => (await import('./backup/backup.ts')).backup,
  },
  {
    name: 'restore',
    about: `load a backup into an empty database and its files into the store, while no service runs, and audit the ledger.
Pending webhooks older than --webhooks-within minutes (60) expire. --check verifies the backup only. See docs/backup.md`,
    usage: `holdfast restore FOLDER [--webhooks-within MINUTES] [--ignore-keys]
holdfast restore FOLDER --check`,
    examples: `holdfast restore /backups/2026-11-21 --check
holdfast restore /backups/2026-11-21 --webhooks-within 600`,
    load: async () => (await import('./backup/restore.ts')).restore,
  },
  {
    name: 'partitions',
    about: 'list, create and drop the monthly partitions of the large tables',
    usage: `holdfast partitions list
holdfast partitions make [--months ${monthsAhead}]
holdfast partitions drop --older-than-days <30 or more> [--including-journal] [--yes]`,
    changes: ([action]) => action !== undefined && action !== 'list',
    load: async () => (await import('./partitions/partitions.ts')).partitions,
  },
  {
    name: 'secrets reencrypt',
    about:
      'encrypt every stored secret with the first of ENCRYPTION_KEYS, so that the others can be removed; safe under load',
    usage: 'holdfast secrets reencrypt [--dry-run]',
    changes: (args) => !isDryRun(args),
    load: async () => (await import('./secrets/reencrypt.ts')).secretsReencrypt,
  },
  {
    name: 'models apply',
    about:
      'replace the catalogue of models with the YAML files of a folder, in one transaction; models without a file are withdrawn.\nModels that the console keeps stay, and are reported where a file says something else; --replace-console: the files win',
    usage: 'holdfast models apply [folder] [--dry-run] [--replace-console] [--json]',
    changes: (args) => !isDryRun(args),
    load: async () => (await import('./models/apply.ts')).modelsApply,
  },
  {
    name: 'models validate',
    about: 'report all problems in the YAML files of a folder; needs no database',
    usage: 'holdfast models validate [folder]',
    load: async () => (await import('./models/apply.ts')).modelsValidate,
  },
  {
    name: 'models import',
    about: `write the file of a model from its provider's own schema and price, for you to complete: comments say what the
provider does not state. The name is owner/name, an app of fal, the URL of a Cog container, or a model of an OpenAI-compatible
server. --connection: the connection that runs it, whose key is used. --models: the folder of the file.`,
    usage:
      'holdfast models import <replicate|fal|cog|openai> <name> [--slug SLUG] [--connection NAME] [--models folder]',
    examples: `holdfast models import replicate black-forest-labs/flux-schnell
holdfast models import cog http://10.0.0.6:5000 --connection upscaler`,
    load: async () => (await import('./models/import.ts')).modelsImport,
  },
  {
    name: 'models list',
    about:
      'list the applied catalogue: whether each model is offered or why not, its price, whether a file or the console decides about\nit, its providers in order; --all includes withdrawn models',
    usage: 'holdfast models list [--all] [--json]',
    load: async () => (await import('./models/list.ts')).modelsList,
  },
  {
    name: 'models show',
    about:
      'show a model: its providers, price, limits and input; with --models, read from its file in that folder',
    usage: 'holdfast models show <slug> [--models folder] [--json]',
    load: async () => (await import('./models/show.ts')).modelsShow,
  },
  {
    name: 'models export',
    about: 'print the YAML of a model as it is applied, such as one of the console, for a file of its own',
    usage: 'holdfast models export <slug>',
    examples: 'holdfast models export acme-text > models/acme-text.yaml',
    load: async () => (await import('./models/export.ts')).modelsExport,
  },
  {
    name: 'models test',
    about: `run a model once at its real provider and print the result; no balance is charged, but the provider charges you.
--input: the input; by default the first example of its input_schema; @path in a file property is a local file.
--provider: the connection to use, if the model has several. --models: read the model from its file in this folder.
Ctrl-C cancels the run.`,
    usage:
      'holdfast models test <slug> [--input JSON|@file] [--provider NAME] [--timeout S] [--models folder]',
    load: async () => (await import('./models/trial.ts')).modelsTest,
  },
  {
    name: 'completion',
    about: 'print a script that completes the commands and flags of holdfast in a shell',
    usage: 'holdfast completion <bash|zsh|fish>',
    examples: `holdfast() { npm run --silent holdfast -- "$@"; }    # in ~/.bashrc; a function, because zsh does not complete aliases
source <(holdfast completion bash)                    # in ~/.zshrc the same with zsh, after compinit
function holdfast; npm run --silent holdfast -- $argv; end; holdfast completion fish | source    # fish`,
    load: async () => (await import('./completion/completion.ts')).completion,
  },
];
