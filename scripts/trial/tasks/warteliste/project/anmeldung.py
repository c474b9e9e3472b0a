"""Anmeldungen der Volkshochschule.

python3 anmeldung.py DATEI anmelden KURS NAME EMAIL [--fv]
python3 anmeldung.py DATEI stornieren KURS EMAIL --heute JJJJ-MM-TT
"""
import argparse
import json
import sys
from pathlib import Path


def anmelden(kurs, person):
    kurs["teilnehmer"].append(person)
    print(f"{person['name']} ist angemeldet.")
    return 0


def stornieren(kurs, email, heute):
    kurs["teilnehmer"] = [p for p in kurs["teilnehmer"] if p["email"] != email]
    return 0


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("datei", type=Path)
    befehle = parser.add_subparsers(dest="befehl", required=True)
    neu = befehle.add_parser("anmelden")
    neu.add_argument("kurs")
    neu.add_argument("name")
    neu.add_argument("email")
    neu.add_argument("--fv", action="store_true")
    weg = befehle.add_parser("stornieren")
    weg.add_argument("kurs")
    weg.add_argument("email")
    weg.add_argument("--heute", required=True)
    a = parser.parse_args(argv)
    kurse = json.loads(a.datei.read_text("utf8"))
    kurs = kurse[a.kurs]
    if a.befehl == "anmelden":
        code = anmelden(kurs, {"name": a.name, "email": a.email, "foerderverein": a.fv})
    else:
        code = stornieren(kurs, a.email, a.heute)
    a.datei.write_text(json.dumps(kurse, ensure_ascii=False, indent=1) + "\n", "utf8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
