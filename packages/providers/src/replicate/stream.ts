import type { TrustedRequest, TrustedResult } from '@holdfast/egress/trusted';
import { type Connection, createOrigins, mayHaveKey } from '../connection.ts';
import { brokenOff, isEventStream, readEvents, type StreamEnd, type StreamEvent } from '../eventStream.ts';
import type { OutputSink, Progress, Submission } from '../interface.ts';
import { networkProgress, progressOfLogs } from '../progress.ts';
import { createShownOutput, type ShownOutput } from '../shownOutput.ts';
import type { Clock } from './findRun.ts';
import type { HostedPrediction } from './prediction.ts';

export type Streams = {
  /** Follows an accepted run to its end. `poll` reads it, and is the truth about its end. */
  follow(accepted: Progress, run: StreamedRun): Promise<Progress>;
  close(): void;
};

type StreamedRun = {
  prediction: HostedPrediction;
  submission: Submission;
  sink: OutputSink;
  signal: AbortSignal;
  poll(): Promise<Progress>;
};

const pauseMs = { first: 250, longest: 5000 };

export function createStreams(connection: Connection, clock: Clock): Streams {
  const keyed = createOrigins(connection);
  const keyless = createOrigins({ apiKey: null });

  function open({ url, isKeyed }: Target, lastId: string | null, options: TrustedRequest) {
    return (isKeyed ? keyed : keyless).request('GET', url, {
      headers: { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) },
      bodyAs: ({ status, headers }) => (status === 200 && isEventStream(headers) ? 'stream' : 'text'),
      ...options,
    });
  }

  return {
    close() {
      keyed.close();
      keyless.close();
    },
    async follow(accepted, { prediction, submission, sink, signal, poll }) {
      const untilMs = Date.now() + submission.timeoutMs;
      const shown = createShownOutput(sink);
      const events = createRunEvents(sink, shown);
      let target = streamTarget(prediction, connection);
      let progress = accepted;
      for (let pause = pauseMs.first; progress.state === 'running'; ) {
        if (target !== null) {
          const before = events.seen();
          const timeoutMs = Math.max(untilMs - Date.now(), 1);
          const end = await events.read(await open(target, events.lastId(), { timeoutMs, signal }));
          if (end.by === 'limit') return brokenOff(end, signal);
          if (end.by !== 'break' || !events.canResume()) target = null;
          if (events.seen() > before) pause = pauseMs.first;
        }
        if (signal.aborted || Date.now() >= untilMs) return notInTime(signal);
        progress = await poll();
        if (progress.state !== 'running') break;
        await clock.wait(pause, signal).catch(() => undefined);
        pause = Math.min(pause * 2, pauseMs.longest);
      }
      if (progress.state === 'ended') await shown.showRest(progress.outcome);
      return progress;
    },
  };
}

function notInTime({ aborted }: AbortSignal): Progress {
  const reason = aborted ? 'aborted' : 'timeout';
  const message = aborted ? 'aborted' : 'the run did not end in time';
  return networkProgress({ ok: false, reached: 'unknown', reason, code: 'ERR_STREAM', message });
}

type Target = { url: string; isKeyed: boolean };

/**
 * Where a run's events are read; null: at no host that the connection trusts. Replicate's other hosts get no key: those who
 * made a run alone know the URL of its stream.
 */
export function streamTarget(
  { urls }: Pick<HostedPrediction, 'urls'>,
  connection: Connection,
): Target | null {
  const text = urls?.stream ?? '';
  if (mayHaveKey(text, connection)) return { url: text, isKeyed: true };
  const url = URL.parse(text);
  const hosts = [url?.hostname ?? '', new URL(connection.baseUrl).hostname];
  const isReplicates = url?.origin === `https://${url?.hostname}` && url.username + url.password === '';
  return isReplicates && hosts.every((host) => host.endsWith('.replicate.com'))
    ? { url: text, isKeyed: false }
    : null;
}

function createRunEvents(sink: OutputSink, shown: ShownOutput) {
  const ids = new Set<string>();
  let seen = 0;
  let lastId: string | null = null;
  let logs = '';

  async function show({ name, data }: StreamEvent): Promise<void> {
    if (name === 'output') await shown.show(data);
    if (name !== 'logs') return;
    sink.logs(data);
    logs = (logs + data).slice(-maxLogChars);
    const { progress } = progressOfLogs(logs);
    if (progress !== undefined) sink.progress(progress);
  }

  return {
    seen: () => seen,
    lastId: () => lastId,
    /** Without ids a second request would show the first events again. */
    canResume: () => seen === ids.size,
    async read(result: TrustedResult): Promise<StreamEnd> {
      if (!result.ok) return { by: 'break', error: new Error(result.message) };
      if (result.stream === undefined) return { by: 'end' };
      const end = await readEvents(result.stream, async (event) => {
        if (event.name === 'done') return true;
        if (event.id !== undefined && ids.has(event.id)) return false;
        if (event.id !== undefined) ids.add(event.id);
        lastId = event.id ?? lastId;
        seen += 1;
        await show(event);
        return false;
      });
      // A stream without its last event has broken off.
      return end.by === 'end' ? { by: 'break', error: new Error('the stream ended early') } : end;
    },
  };
}

/** Enough for a progress bar. */
const maxLogChars = 8192;
