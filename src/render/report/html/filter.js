const box = document.createElement("input");
box.type = "search";
box.placeholder = "Filter: words, a family, an id, a file";
box.setAttribute("aria-label", "Show only failures with these words");
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/);
  for (const e of document.querySelectorAll(".incident, .case, .index tbody tr"))
    e.hidden = !words.every(word => e.textContent.toLowerCase().includes(word));
});
if (document.querySelectorAll(".incident, .case").length > 2) document.querySelector("header").append(box);
const unfold = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.tagName === "DETAILS") target.open = true;
};
addEventListener("hashchange", unfold);
unfold();
