import type { WatchedExecution } from '@holdfast/db/executions/watch';
import type { Execution } from '@holdfast/domain/execution';
import { progressRecord, statusRecord } from '@holdfast/domain/executionRecord';
import { isTerminal } from '@holdfast/domain/statuses';
import type { EventWriter } from './eventWriter.ts';
import { openLogLines } from './logLines.ts';
import { eventId, type Position } from './position.ts';

export type EventStream = {
  logsSeen(): number | null;
  /** Writes what is new; resolves true once all is said. */
  tell(sighting: WatchedExecution): Promise<boolean>;
};

/** Tells of one execution from a position on. Its log comes before the status that it ended with. */
export function openEventStream(args: {
  from: Position;
  writer: EventWriter;
  read: () => Promise<Execution>;
}): EventStream {
  const { writer, read } = args;
  const lines = openLogLines(args.from.logs);
  let position = args.from;

  async function write(type: string, told: Partial<Position>, data: unknown): Promise<void> {
    position = { ...position, ...told };
    await writer.write({ id: eventId(position), type, data });
  }

  /** False when it has gone on since it was seen: from open to ended, which is the next sighting's to tell. */
  async function tellStatus({ status }: WatchedExecution): Promise<boolean> {
    if (status === position.status) return true;
    const execution = await read();
    if (isTerminal(execution.status) !== isTerminal(status)) return false;
    await write('status', { status: execution.status }, statusRecord(execution));
    return true;
  }

  async function tellProgress(sighting: WatchedExecution): Promise<void> {
    const { progress, queuePosition } = sighting;
    if (progress === position.progress && queuePosition === position.queuePosition) return;
    await write('progress', { progress, queuePosition }, progressRecord(sighting));
  }

  async function tellLines(isOver: boolean): Promise<void> {
    const given = lines.give(isOver);
    if (given.length > 0) await write('log', { logs: lines.given() }, { lines: given });
  }

  async function tell(sighting: WatchedExecution): Promise<boolean> {
    lines.take(sighting);
    if (isTerminal(sighting.status)) {
      const isOver = lines.taken() >= sighting.logsTotal;
      await tellLines(isOver);
      return isOver && (await tellStatus(sighting));
    }
    if (await tellStatus(sighting)) {
      await tellProgress(sighting);
      await tellLines(false);
    }
    return false;
  }

  return { logsSeen: lines.taken, tell };
}
