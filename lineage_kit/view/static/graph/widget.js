// The picture in a notebook: what anywidget calls, and the messages to and from Python (see `GraphWidget`).

function render({ model, el }) {
  const tell = (message) => model.send(message);
  const handle = draw(el, vis, model.get("drawing"), {
    onSelect: (number) => {
      if (model.get("selected") !== number) {
        model.set("selected", number);
        model.save_changes();
      }
    },
    onOpen: (number) => tell({ do: "open", number }),
  });
  el.lineage = handle;
  const listen = {
    "change:drawing": () => handle.setData(model.get("drawing")),
    "change:selected": () => handle.select(model.get("selected")),
    "change:shown": () => handle.setFilter(model.get("shown")),
    "change:theme": () => handle.theme(model.get("theme")),
    "msg:custom": async (message, buffers) => {
      if (message.do === "png") offer(new Blob([await handle.png()], { type: "image/png" }), message.name);
      if (message.do === "offer") offer(new Blob(buffers, { type: message.type }), message.name);
    },
  };
  for (const [event, heard] of Object.entries(listen)) model.on(event, heard);
  handle.theme(model.get("theme"));
  handle.setFilter(model.get("shown"));
  handle.select(model.get("selected"));
  return () => {
    for (const [event, heard] of Object.entries(listen)) model.off(event, heard);
    handle.destroy();
  };
}

function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export default { render };
