# SPDX-License-Identifier: MIT
"""skills.py - each feature of skills.mjs: rows of features.py."""
import hashlib
import json

from rows import all_used, ctl, data, equal, fails, within, write

FILES = {
    "forms/SKILL.md": "---\nname: forms\ndescription: Fills in forms.\n---\n# Forms\n",
    "forms/scripts/fill.py": "print('grüße')\n",
    "forms/scripts/deep/er/x.txt": "x\n",
    "forms/logo.bin": bytes(range(256)),
    "letters/SKILL.md": "---\nname: letters\ndescription: Writes letters.\n---\nDear\n",
    "maps/SKILL.md": "---\nname: maps\ndescription: Reads maps.\n---\nNorth\n",
}
BASE = "skill://acme/"


def named(host):
    return {skill["frontmatter"]["name"]: skill for skill in host.skills()}


def read_skill(host, entry, file):
    content, = host.do("new_read_skill", "web", entry, file)["contents"]
    return content["text"].encode() if "text" in content else data(content)


def skills_listed(host):
    """Checks the list, which has two skills a page, with the length and digest of each file."""
    equal(sorted(named(host)), ["forms", "letters", "maps"])
    for name, skill in named(host).items():
        equal(skill["uri"], f"{BASE}{name}/SKILL.md")
        files = {BASE + file: content if isinstance(content, bytes) else content.encode()
                 for file, content in FILES.items() if file.startswith(name + "/")}
        equal({file["uri"]: (file["digest"], file["size"]) for file in skill["resources"]},
              {uri: ("sha256:" + hashlib.sha256(content).hexdigest(), len(content))
               for uri, content in files.items()})


def skills_files(host):
    for file, content in FILES.items():
        name, path = file.split("/", 1)
        wanted = content if isinstance(content, bytes) else content.encode()
        equal(read_skill(host, named(host)[name], path), wanted)
        equal(read_skill(host, named(host)[name], BASE + file), wanted)
    forms = named(host)["forms"]
    equal(read_skill(host, forms, None).decode(), FILES["forms/SKILL.md"])
    fails("NOTFOUND", read_skill, host, forms, "none")
    for row in host.rows("resources"):
        within("---\nname: ", host.read(row["uri"])[0]["text"])
    template, = (row["uriTemplate"] for row in host.rows("resource_templates"))
    content, = host.read_template(template, path="forms/scripts/fill.py")
    equal(content["text"], FILES["forms/scripts/fill.py"])
    fails("NOTFOUND", host.complete, template, "path", "")


def skills_got(host):
    for name, skill in named(host).items():
        equal(host.do("new_get_skill", "web", skill["uri"])["skill"], skill)
    fails("RPC", host.do, "new_get_skill", "web", BASE + "none/SKILL.md")


def entries(host, uri):
    """Returns the entries of a directory from all pages, and the number of pages."""
    cursor, pages, found = None, 0, {}
    while pages == 0 or cursor:
        page = host.do("new_read_directory", "web", uri, cursor)
        found.update((row["uri"], row.get("mimeType")) for row in page["resources"])
        cursor, pages = page.get("nextCursor"), pages + 1
    return found, pages


def skills_directories(host):
    found, pages = entries(host, BASE + "forms")
    assert pages == 2, pages
    equal(set(found), {BASE + "forms/" + name for name in ("SKILL.md", "scripts", "logo.bin")})
    equal(found[BASE + "forms/scripts"], "inode/directory")
    equal(set(entries(host, BASE + "forms/scripts")[0]),
          {BASE + "forms/scripts/" + name for name in ("fill.py", "deep")})
    fails("RPC", entries, host, BASE + "none")


def skills_reloaded(host):
    """Checks that a changed skill no longer matches its old entry."""
    old = named(host)["maps"]
    write(host.files, "maps/SKILL.md", FILES["maps/SKILL.md"].replace("Reads", "Draws"))
    write(host.files, "signs/SKILL.md", "---\nname: signs\ndescription: Reads signs.\n---\n")
    equal(json.loads(host.text("reload")), {
        "added": [BASE + "signs/SKILL.md"], "changed": [BASE + "maps/SKILL.md"], "removed": []})
    host.until(lambda: named(host).get("maps", old) != old and "signs" in named(host),
               "no news of the change")
    fails("PROTOCOL", read_skill, host, old, None)
    within(b"Draws maps.", read_skill(host, named(host)["maps"], None))
    host.read(BASE + "signs/SKILL.md")


def skills_by_ctl(host):
    """Checks the skills that mcphostctl shows."""
    rows = json.loads(ctl(host, "skills", "list", "--json"))
    within(("forms", BASE + "forms/SKILL.md", "Fills in forms."),
           [(row["name"], row["uri"], row["description"]) for row in rows])
    within("# Forms\n", ctl(host, "skills", "show", "forms"))


SKILLS = (
    ("skills/list over pages", skills_listed),
    ("files of skills, checked", skills_files),
    ("skills/get", skills_got),
    ("directories", skills_directories),
    ("mcphostctl skills", skills_by_ctl),
    ("skills that change", skills_reloaded),
    ("all that it offers was used", all_used),
)


def made_up(host):
    equal(sorted(named(host)), ["changing", "first", "second"])
    equal(read_skill(host, named(host)["second"], "notes/more.md"), b"More of second.\n")
    hidden = host.do("new_get_skill", "web", "skill://hidden/SKILL.md")
    equal(read_skill(host, hidden, "notes/more.md"), b"More of hidden.\n")
    equal(read_skill(host, hidden["skill"], None)[:20], b"---\nname: hidden\ndes")


def without_digests(host):
    changing = named(host)["changing"]
    equal(changing["resources"], "dynamic")
    within(b"name: changing", read_skill(host, changing, None))
    for times in 1, 2:
        equal(read_skill(host, changing, "state.md"), f"Read {times} times.\n".encode())


def no_directories(host):
    fails("NOTFOUND", host.do, "new_read_directory", "web", "skill://first", None)


MADE_UP = (
    ("skills of pages, and one that is not listed", made_up),
    ("a skill without digests", without_digests),
    ("directories that are not offered", no_directories),
)
