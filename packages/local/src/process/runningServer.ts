export type RunningServer = {
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, stopped or by itself. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};
