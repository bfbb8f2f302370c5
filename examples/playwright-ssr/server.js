/** A server that renders pages, without a framework. While it answers a request, it asks the shop in the session of that request. */
import { createServer } from 'node:http';
import { forwardingFetch, inSession } from 'switchyard-server/forward';

const { PORT, SHOP_URL } = process.env;
const fetch = forwardingFetch([SHOP_URL]);

async function stockPage() {
  const { left } = await (await fetch(`${SHOP_URL}/stock/7`)).json();
  return `<!doctype html><title>Shop</title><p>${left} left</p>`;
}

createServer((request, response) =>
  inSession(request.headers, async () => {
    const page = await stockPage().catch(String);
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }),
).listen(Number(PORT), '127.0.0.1');
