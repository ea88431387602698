// Draws the data of a page into it; the last part of the script of a page (see `page.html`).

const main = document.querySelector("main");
const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);
main.lineage = draw(main, vis, data);
