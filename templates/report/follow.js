// Asks for the page again and puts in what has changed; what the reader opened stays open.
const INTERVAL_MS = 1000;
let tag = '';
async function follow() {
  try {
    const answer = await fetch('main', { headers: { 'if-none-match': tag } });
    if (answer.status === 200) {
      tag = answer.headers.get('etag');
      const open = [...document.querySelectorAll('details[open]')].map((each) => each.id);
      const isAtEnd = innerHeight + scrollY > document.body.scrollHeight - 40;
      document.querySelector('main').innerHTML = await answer.text();
      for (const id of open) document.getElementById(id)?.setAttribute('open', '');
      if (isAtEnd) scrollTo(0, document.body.scrollHeight);
    }
  } catch {}
  setTimeout(follow, INTERVAL_MS);
}
follow();
