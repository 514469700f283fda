// Search from a folder: browsers start no worker for a page that was opened as a file. There the
// search runs in a hidden frame instead. On a server nothing is changed.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((loaded, failed) => {
        const script = this.inside.document.createElement("script");
        script.onload = loaded;
        script.onerror = failed;
        script.src = url;
        this.inside.document.body.append(script);
      });
    }
    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })),
      );
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
