/**
 * Reads command lines one after the other in this process, which is sent them, as the program does in one of its own: the program is
 * evaluated anew for each, and what it is made of is loaded once. For those alone that are refused before anything is done.
 */
const PROGRAM = new URL('../../dist/cli/program.js', import.meta.url).href;

class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}
process.exit = (status) => {
  throw new Exit(status);
};

const environment = { ...process.env };
let stderr = '';
process.stderr.write = (text) => {
  stderr += text;
  return true;
};

process.on('message', async ({ id, args, env, cwd }) => {
  stderr = '';
  process.chdir(cwd);
  process.env = { ...environment, ...env };
  process.argv.splice(2, Infinity, ...args);
  const status = await import(`${PROGRAM}?${id}`).then(
    () => 0,
    (error) => (error instanceof Exit ? error.status : String(error.stack)),
  );
  process.send({ id, status, stderr });
});
