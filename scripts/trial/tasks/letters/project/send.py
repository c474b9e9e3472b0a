"""Sends every letter in out/ by mail."""
import pathlib
import smtplib

for letter in sorted(pathlib.Path("out").glob("*.txt")):
    with smtplib.SMTP("mail.example.org", timeout=5) as server:
        server.sendmail("treasurer@example.org", letter.stem, letter.read_text())
