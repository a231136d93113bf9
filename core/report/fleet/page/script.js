"use strict";
(function () {
  function valueOf(cell) {
    var given = cell.getAttribute("data-v");
    if (given !== null) {
      return given === "" ? null : Number(given);
    }
    return cell.textContent.trim();
  }
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      return a - b;
    }
    return String(a).localeCompare(String(b), "en", { numeric: true, sensitivity: "base" });
  }
  // What is not known stands at the end in both directions.
  function sort(table, heading, column) {
    var descending = heading.getAttribute("aria-sort") === "ascending" ||
      heading.getAttribute("aria-sort") === null && heading.classList.contains("num");
    table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    var body = table.tBodies[0];
    var rows = Array.from(body.rows).map(function (row, place) {
      return { row: row, place: place, value: valueOf(row.cells[column]) };
    });
    rows.sort(function (a, b) {
      if (a.value === null || b.value === null) {
        return (a.value === null) - (b.value === null) || a.place - b.place;
      }
      var order = compare(a.value, b.value);
      return (descending ? -order : order) || a.place - b.place;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
  }
  document.querySelectorAll("table[data-sort]").forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (heading, column) {
      if (heading.hasAttribute("data-fixed")) {
        return;
      }
      var button = document.createElement("button");
      button.type = "button";
      // Browsers leave controls out where headings are repeated in print.
      heading.setAttribute("data-name", heading.textContent);
      while (heading.firstChild) {
        button.appendChild(heading.firstChild);
      }
      heading.appendChild(button);
      button.addEventListener("click", function () { sort(table, heading, column); });
    });
  });
  document.querySelectorAll("table[data-search]").forEach(function (table, number) {
    var rows = Array.from(table.tBodies[0].rows);
    if (rows.length < 2) {
      return;
    }
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var box = document.createElement("div"), label = document.createElement("label");
    var input = document.createElement("input"), count = document.createElement("output");
    box.className = "search";
    box.setAttribute("role", "search");
    input.type = "search";
    input.id = "search-" + number;
    label.htmlFor = count.htmlFor = input.id;
    label.textContent = table.getAttribute("data-search");
    function narrow() {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
      rows.forEach(function (row, place) {
        var fits = words.every(function (word) { return texts[place].indexOf(word) >= 0; });
        row.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      count.textContent = shown + " of " + rows.length + " rows";
    }
    input.addEventListener("input", narrow);
    box.append(label, input, count);
    table.parentNode.before(box);
    narrow();
  });
})();
