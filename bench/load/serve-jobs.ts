/** The other side of `startJobs` of processes.ts: a script that runs one job per message, and sends a result or a failure. */

export type JobAnswer<Result> = { readonly result: Result } | { readonly failure: string };

export function serveJobs(run: (job: never) => Promise<unknown>): void {
  const send = (answer: JobAnswer<unknown>) => process.send?.(answer);
  process.on('message', (job) => {
    run(job as never).then(
      (result) => send({ result }),
      (error: unknown) => send({ failure: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}
