/** A server that renders pages, and knows nothing of tests: it asks a third party, and passes `baggage` on. */
import { createServer } from 'node:http';
import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';

// From Node.js 22.21 and 24.5 on, `fetch` takes the proxy of its environment without this.
setGlobalDispatcher(new EnvHttpProxyAgent());

async function stockPage({ baggage }) {
  const answer = await fetch('https://stock.example.com/stock/7', {
    headers: baggage === undefined ? {} : { baggage },
  });
  const { left } = await answer.json();
  return `<!doctype html><title>Shop</title><p>${left} left</p><script src="https://offers.example.com/offer.js"></script>`;
}

createServer(async ({ headers }, response) => {
  const page = await stockPage(headers).catch(String);
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}).listen(Number(process.env.PORT), '127.0.0.1');
