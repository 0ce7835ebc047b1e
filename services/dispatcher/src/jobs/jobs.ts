import { attemptsToStop, type ClaimedAttempt, claimAbandoned, claimPoll } from '@holdfast/db/attempts/lease';
import { pendingCallbacks } from '@holdfast/db/callbacks';
import { dropOutputsOfEnded } from '@holdfast/db/files';
import type { Handle, Submission } from '@holdfast/providers/interface';
import { type AttemptServices, applyProgress, runAttempt, stopAttempt } from '../attempt/attempt.ts';
import { prepareInput } from '../attempt/input.ts';
import { leaseS } from '../attempt/leases.ts';
import { recordRefusal } from '../attempt/refusal.ts';
import type { Route } from '../attempt/route.ts';
import { toSubmission } from '../attempt/submission.ts';
import { inSpan, type Trace } from '../attempt/trace.ts';
import { receiveCallback } from './callback.ts';

/** Also for runs whose callback never came. */
export async function poll(services: AttemptServices, trace: Trace, attemptId: string): Promise<void> {
  const attempt = await claimPoll(services.files.db, attemptId, leaseS);
  if (!attempt) return;
  await inSpan(trace, { name: 'poll', kind: 'consumer' }, attempt, (spanned) =>
    pollClaimed(services, spanned, attempt),
  );
}

async function pollClaimed(services: AttemptServices, trace: Trace, attempt: ClaimedAttempt): Promise<void> {
  if (attempt.ended) return await stopAttempt(services, trace, attempt);
  const { files, routes, leases, slots } = services;
  const { handle, executionId, attemptId, model, connection } = attempt;
  if (!handle) return;
  const route = await routes.find(attempt, trace);
  if (!route) {
    trace.log.error(
      { executionId, attemptId, model, connection },
      'the provider of a run is no longer configured',
    );
    return;
  }
  await leases.hold(attempt.attemptId, async (signal) => {
    const submission = await submissionToPoll(files, trace, route, attempt, handle);
    const progress = await route.provider.poll(submission, handle, signal);
    if (signal.aborted) return;
    if (progress.state !== 'refused' || (progress.isLost && progress.retryAfterMs !== null))
      return await applyProgress(services, trace, route, attempt, progress, signal);
    // Only the poll was refused, not the run, unless the provider has lost it.
    if (!progress.isLost) return;
    // Without another provider it stays, for this one may find it again.
    if (await recordRefusal(services, trace.log, route, attempt, progress)) await slots.release(attempt);
  });
}

async function submissionToPoll(
  files: AttemptServices['files'],
  { log }: Trace,
  route: Route,
  attempt: ClaimedAttempt,
  handle: Handle,
): Promise<Submission> {
  if (!route.provider.pollsWithInput?.(handle)) return toSubmission(route, attempt);
  const input = await prepareInput(files, log, route, attempt, 'recover');
  return 'state' in input ? toSubmission(route, attempt) : toSubmission(route, attempt, input);
}

export async function recover(services: AttemptServices, trace: Trace, attemptId: string): Promise<void> {
  const { files, leases } = services;
  // While the database was unavailable, a lease of this process ran out.
  if (leases.has(attemptId)) return;
  // A callback that came meanwhile may end the run.
  for (const id of await pendingCallbacks(files.db, attemptId)) await receiveCallback(services, trace, id);
  const attempt = await claimAbandoned(files.db, attemptId, leaseS);
  if (!attempt) return;
  await inSpan(trace, { name: 'take over', kind: 'consumer' }, attempt, async (spanned) => {
    // After a busy refusal the lease was left to run out on purpose.
    if (attempt.busyRefusals === 0)
      spanned.log.warn({ executionId: attempt.executionId, attemptId }, 'taking over an abandoned run');
    if (attempt.ended) await stopAttempt(services, spanned, attempt);
    else await runAttempt(services, spanned, attempt, 'recover');
  });
}

/** Stops the runs of an execution that was cancelled or has expired, and drops outputs that were not settled yet. */
export async function abort(services: AttemptServices, trace: Trace, executionId: string): Promise<void> {
  const { db } = services.files;
  for (const attempt of await attemptsToStop(db, executionId)) await stopAttempt(services, trace, attempt);
  await dropOutputsOfEnded(db, executionId);
}
